# Reference results for tables of groups, strata, interaction and matched sets. From this folder: Rscript make_clinic.R
suppressMessages({ library(survival); library(epiR); library(metafor) })

number <- function(x) ifelse(is.na(x), "null", ifelse(is.infinite(x), ifelse(x > 0, '"inf"', '"-inf"'), formatC(x, digits = 17, format = "g")))
json <- function(x) {
  if (is.list(x)) {
    if (is.null(names(x))) return(paste0("[", paste(sapply(x, json), collapse = ", "), "]"))
    return(paste0("{", paste0('"', names(x), '": ', sapply(x, json), collapse = ", "), "}"))
  }
  if (is.character(x)) return(if (length(x) == 1) paste0('"', x, '"') else paste0("[", paste0('"', x, '"', collapse = ", "), "]"))
  values <- sapply(as.numeric(x), number)
  if (length(values) == 1) values else paste0("[", paste(values, collapse = ", "), "]")
}
save <- function(name, results) {
  packages <- list(survival = as.character(packageVersion("survival")), epiR = as.character(packageVersion("epiR")), metafor = as.character(packageVersion("metafor")))
  whole <- list(made_by = "make_clinic.R", r_version = paste(R.version$major, R.version$minor, sep = "."), r_packages = packages, results = results)
  writeLines(gsub("], \"", "],\n\"", json(whole), fixed = TRUE), paste0(name, ".json"))
}

# Groups: birthwt by low (two groups), by race (three).
b <- read.csv("data/birthwt_factors.csv", stringsAsFactors = FALSE)
test <- function(t) c(unname(t$statistic)[1], unname(t$parameter)[1], if (length(t$parameter) > 1) unname(t$parameter)[2] else NA, t$p.value)
numbers <- function(x, g) {
  parts <- split(x, g)
  two <- length(parts) == 2
  list(
    mean = sapply(parts, mean), sd = sapply(parts, sd), quantiles = as.vector(sapply(parts, quantile)), all = c(mean(x), sd(x), quantile(x)),
    welch = test(if (two) t.test(x ~ g) else oneway.test(x ~ g)), equal = test(if (two) t.test(x ~ g, var.equal = TRUE) else oneway.test(x ~ g, var.equal = TRUE)),
    ranks = if (two) { t <- wilcox.test(x ~ g, exact = FALSE); c(unname(t$statistic), NA, NA, t$p.value) } else test(kruskal.test(x, factor(g))),
    difference = max(combn(length(parts), 2, function(p) abs(mean(parts[[p[1]]]) - mean(parts[[p[2]]])) / sqrt((var(parts[[p[1]]]) + var(parts[[p[2]]])) / 2)))
  )
}
standardised <- function(p, q) {
  keep <- which(p + q > 0)[-1]; d <- p[keep] - q[keep]
  s <- function(p) diag(p[keep], length(keep)) - outer(p[keep], p[keep])
  sqrt(drop(t(d) %*% MASS::ginv((s(p) + s(q)) / 2) %*% d))
}
levels_of <- function(x, g) {
  t <- table(x, g); p <- prop.table(t, 2)
  list(counts = as.vector(t(t)), pearson = test(suppressWarnings(chisq.test(t, correct = FALSE))), fisher = fisher.test(t, workspace = 2e7)$p.value,
       expected = min(suppressWarnings(chisq.test(t))$expected), difference = max(combn(ncol(t), 2, function(k) standardised(p[, k[1]], p[, k[2]]))))
}
set.seed(20)
few <- data.frame(x = round(rnorm(31), 6), g = rep(c("a", "b"), c(14, 17)))
exact <- wilcox.test(x ~ g, data = few, exact = TRUE)
save("describe_r", list(
  by_low = list(age = numbers(b$age, b$low), lwt = numbers(b$lwt, b$low), race = levels_of(b$race, b$low), smoke = levels_of(b$smoke, b$low), ht = levels_of(b$ht, b$low), ptl = levels_of(b$ptl, b$low), ftv = levels_of(b$ftv, b$low)),
  by_race = list(age = numbers(b$age, b$race), lwt = numbers(b$lwt, b$race), smoke = levels_of(b$smoke, b$race), ht = levels_of(b$ht, b$race), ptl = levels_of(b$ptl, b$race)),
  few = list(x = few$x, group = ifelse(few$g == "a", 0, 1), wilcoxon = c(unname(exact$statistic), exact$p.value))
))

# Standard errors at the fitted values: those of vcov() are of the step before.
errors <- function(fit) { x <- model.matrix(fit); mu <- fitted(fit); sqrt(diag(solve(crossprod(x * sqrt(mu * (1 - mu) * fit$prior.weights))))) }
# Strata: random tables beside epiR, metafor, glm and mantelhaen.test.
set.seed(11)
strata <- lapply(1:6, function(case) {
  k <- c(1, 2, 3, 5, 8, 12)[case]
  cells <- t(replicate(k, { n1 <- sample(15:80, 1); n0 <- sample(15:80, 1); a <- rbinom(1, n1, runif(1, .2, .7)); c <- rbinom(1, n0, runif(1, .1, .6)); c(a, n1 - a, c, n0 - c) }))
  data <- do.call(rbind, lapply(1:k, function(i) data.frame(stratum = factor(i, 1:k), x = c(1, 1, 0, 0), y = c(1, 0, 1, 0), n = cells[i, ])))
  formula <- if (k > 1) y ~ x + stratum else y ~ x
  fit <- glm(formula, binomial, data, weights = n, control = list(epsilon = 1e-14, maxit = 100))
  mh <- function(measure) { m <- rma.mh(ai = cells[, 1], bi = cells[, 2], ci = cells[, 3], di = cells[, 4], measure = measure, correct = FALSE); c(as.numeric(m$beta), m$se, m$ci.lb, m$ci.ub, m$MH, m$MHp, m$TA, m$TAp) }
  list(cells = as.vector(t(cells)), logistic = c(unname(coef(fit)["x"]), unname(errors(fit)["x"])), or = mh("OR"), rr = mh("RR"), rd = mh("RD"))
})
# The smoking of mothers within race, as glm has it.
adjusted <- glm(I(low == "yes") ~ smoke + race, binomial, b, control = list(epsilon = 1e-14))
# epiR of single tables.
set.seed(12)
tables <- lapply(1:6, function(case) {
  cells <- sample(2:60, 4)
  told <- epi.2by2(cells, method = "cohort.count", conf.level = 0.95, units = 1, interpret = FALSE)$massoc.detail
  pick <- function(x) as.numeric(unlist(x)[1:3])
  list(cells = cells, rr = pick(told$RR.strata.wald), or = pick(told$OR.strata.wald), rd = pick(told$ARisk.strata.wald), af = pick(told$AFRisk.strata.wald))
})
trend <- prop.trend.test(c(83, 90, 129, 70), c(86, 93, 136, 82)); all <- suppressWarnings(prop.test(c(83, 90, 129, 70), c(86, 93, 136, 82)))
save("strata_r", list(strata = strata, births = c(unname(coef(adjusted)["smoke"]), unname(errors(adjusted)["smoke"])), tables = tables, trend = c(unname(trend$statistic), trend$p.value, unname(all$statistic))))

# Interaction on the additive scale: oral cancer, alcohol and smoking (the manual of epiR's epi.interaction has the counts), and births.
interaction <- function(fit, names) {
  x <- model.matrix(fit); mu <- fitted(fit); v <- solve(crossprod(x * sqrt(mu * (1 - mu) * fit$prior.weights)))[names, names]; b <- coef(fit)[names]; e <- exp(c(b[1], b[2], sum(b)))
  reri <- e[3] - e[1] - e[2] + 1; s <- (e[3] - 1) / (e[1] + e[2] - 2)
  # Slopes by finite differences: independent of any formula for them.
  slopes <- function(f) sapply(1:3, function(i) { h <- 1e-5; up <- b; up[i] <- up[i] + h; down <- b; down[i] <- down[i] - h; (f(up) - f(down)) / (2 * h) })
  odds <- function(b) exp(c(b[1], b[2], sum(b)))
  error <- function(f) { d <- slopes(f); sqrt(drop(t(d) %*% v %*% d)) }
  list(reri = c(reri, error(function(b) { e <- odds(b); e[3] - e[1] - e[2] + 1 })), ap = c(reri / e[3], error(function(b) { e <- odds(b); (e[3] - e[1] - e[2] + 1) / e[3] })),
       s = c(s, error(function(b) { e <- odds(b); log((e[3] - 1) / (e[1] + e[2] - 2)) })))
}
oral <- data.frame(n = c(3, 20, 6, 12, 8, 18, 225, 166), case = rep(c(1, 0), 4), alcohol = rep(c(0, 0, 1, 1), 2), smoke = rep(c(0, 1), each = 4))
oral <- oral[rep(1:8, oral$n), ]
oral_fit <- glm(case ~ alcohol * smoke, binomial, oral, control = list(epsilon = 1e-14))
by_epir <- epi.interaction(model = oral_fit, coef = c(2, 3, 4), param = "product", conf.level = 0.95)
both <- glm(I(low == "yes") ~ smoke * ht + age + lwt, binomial, b, control = list(epsilon = 1e-14))
save("interaction_r", list(
  oral = interaction(oral_fit, c("alcohol", "smoke", "alcohol:smoke")),
  oral_epir = list(reri = as.numeric(by_epir$reri), ap = as.numeric(by_epir$apab), s = as.numeric(by_epir$s)),
  births = interaction(both, c("smoke", "ht", "smoke:ht"))
))

# Matched sets: random sets of m in k beside clogit; clusters of sets; Firth's likelihood maximised by hand over clogit's likelihood and information.
set.seed(13)
matched <- lapply(1:4, function(case) {
  sets <- c(40, 30, 25, 20)[case]; sizes <- list(c(1, 3), c(2, 5), c(1, 6), c(3, 8))[[case]]
  d <- do.call(rbind, lapply(1:sets, function(s) { k <- sizes[2]; x <- round(rnorm(k), 3); z <- rbinom(k, 1, .4); p <- exp(.7 * x - .5 * z + rnorm(k)); y <- rep(0, k); y[order(-p)[1:sizes[1]]] <- 1; data.frame(set = s, y = y, x = x, z = z, site = (s - 1) %/% 4 + 1) }))
  fit <- clogit(y ~ x + z + strata(set), d, method = "exact", control = coxph.control(eps = 1e-14, iter.max = 50))
  at <- function(beta) { f <- clogit(y ~ x + z + strata(set), d, method = "exact", init = beta, control = coxph.control(iter.max = 0)); list(value = f$loglik[2], information = solve(f$var)) }
  penalised <- function(beta) { there <- at(beta); there$value + 0.5 * as.numeric(determinant(there$information)$modulus) }
  found <- optim(coef(fit), function(b) -penalised(b), method = "BFGS", control = list(reltol = 1e-16, ndeps = rep(1e-5, 2), maxit = 500))
  # Clusters of sets: the scores of sets, by finite differences of the likelihood of every set, added up by site.
  score <- t(sapply(1:sets, function(s) { own <- d[d$set == s, ]; value <- function(b) { f <- clogit(y ~ x + z + strata(set), own, method = "exact", init = b, control = coxph.control(iter.max = 0)); f$loglik[2] }; h <- 1e-4; sapply(1:2, function(j) { up <- coef(fit); up[j] <- up[j] + h; down <- coef(fit); down[j] <- down[j] - h; (value(up) - value(down)) / (2 * h) }) }))
  by_site <- rowsum(score, d$site[match(1:sets, d$set)])
  v <- vcov(fit)
  list(set = d$set, y = d$y, x = d$x, z = d$z, site = d$site, coef = unname(coef(fit)), se = unname(sqrt(diag(v))), loglik = fit$loglik, score = fit$score,
       robust = unname(sqrt(diag(v %*% crossprod(score) %*% v))), cluster = unname(sqrt(diag(v %*% crossprod(by_site) %*% v))),
       firth = unname(found$par), firth_loglik = -found$value, firth_se = unname(sqrt(diag(solve(at(found$par)$information)))))
})
# Complete separation within sets: only Firth's likelihood has a maximum.
apart <- data.frame(set = rep(1:6, each = 3), y = rep(c(1, 0, 0), 6), x = c(3, 1, 2, 5, 4, 1, 2, 0, 1, 6, 5, 2, 4, 3, 3.5, 7, 2, 6), z = c(1, 0, 2, 2, 1, 0, 0, 1, 2, 1, 2, 0, 2, 0, 1, 0, 2, 1))
penalised_at <- function(b) { f <- suppressWarnings(clogit(y ~ x + z + strata(set), apart, method = "exact", init = b, control = coxph.control(iter.max = 0))); f$loglik[2] + 0.5 * as.numeric(determinant(solve(f$var))$modulus) }
best <- optim(c(0.5, 0), function(b) -penalised_at(b), method = "BFGS", control = list(reltol = 1e-16, ndeps = rep(1e-5, 2), maxit = 500))
save("clogit_r", list(matched = matched, separated = list(set = apart$set, y = apart$y, x = apart$x, z = apart$z, firth = unname(best$par), firth_loglik = -best$value)))
