# Writes design_*.json: model.matrix() of R for formulas, coding rules, contrasts and bases.
# Rscript make_design.R, in this folder. No random numbers.
library(splines)

i <- 1:40
d <- data.frame(
  x = round(50 * sin(i)^2 + i / 3, 3),
  z = round(1e8 + 10 * cos(1.7 * i), 4),
  t = round(exp(2 * sin(2.3 * i)), 5),
  k = (i * 7) %% 6,
  a = factor(c("p", "q")[1 + (i * 3) %% 2]),
  b = factor(c("u", "v", "w")[1 + (i * i + i %/% 5) %% 3]),
  c = factor(c("low", "mid", "high", "top")[1 + (i * 5 + i %/% 7) %% 4], levels = c("low", "mid", "high", "top"))
)
new <- data.frame(
  x = c(-20, -0.5, min(d$x), 7.25, 30, quantile(d$x, 0.5), max(d$x), 66, 90),
  z = 1e8 + c(-30, -10, -3.3, 0, 0.125, 2, 9.9, 12, 25),
  t = c(0.01, 0.2, 0.5, 1, 2, 3, 5, 7.5, 20),
  k = c(0, 1, 2, 3, 4, 5, 2.5, 6, -1),
  a = factor(c("p", "q", "p", "q", "p", "q", "p", "q", "p"), levels = levels(d$a)),
  b = factor(c("u", "v", "w", "u", "v", "w", "u", "v", "w"), levels = levels(d$b)),
  c = factor(c("low", "mid", "high", "top", "low", "mid", "high", "top", "low"), levels = levels(d$c))
)

quoted <- function(s) paste0("\"", gsub("\"", "\\\\\"", gsub("\\\\", "\\\\\\\\", s)), "\"")
list_of <- function(s) paste0("[", paste(s, collapse = ","), "]")
number <- function(v) sprintf("%.17g", v)
column <- function(v) {
  if (is.factor(v)) paste0("{\"levels\": ", list_of(quoted(levels(v))), ", \"codes\": ", list_of(as.integer(v) - 1L), "}")
  else list_of(number(v))
}
table_of <- function(d) paste0("{", paste0(quoted(names(d)), ": ", vapply(d, column, ""), collapse = ",\n   "), "}")
rows_of <- function(m) list_of(apply(m, 1, function(r) list_of(number(r))))

# A case: our formula, R's where it is written differently, contrasts other than treatment, reference levels, and what to
# call `renamed` in names.
case <- function(formula, r = formula, contrasts = NULL, relevel = list(), renamed = "raw = TRUE", to = "raw = true") {
  data <- d; fresh <- new
  for (name in names(relevel)) {
    data[[name]] <- relevel(data[[name]], ref = relevel[[name]])
    fresh[[name]] <- factor(as.character(fresh[[name]]), levels = levels(data[[name]]))
  }
  frame <- model.frame(as.formula(r), data)
  terms <- attr(frame, "terms")
  X <- model.matrix(terms, frame, contrasts.arg = contrasts)
  N <- suppressWarnings(model.matrix(terms, model.frame(terms, fresh), contrasts.arg = contrasts))
  rename <- function(text) gsub(renamed, to, text, fixed = TRUE)
  call <- paste0("model.matrix(", r, ", d",
    if (length(contrasts)) paste0(", contrasts.arg = ", paste(deparse(contrasts), collapse = "")) else "",
    if (length(relevel)) paste0(", after relevel to ", paste(deparse(relevel), collapse = "")) else "", ")")
  paste0("  {\"formula\": ", quoted(formula), ",\n   \"call\": ", quoted(call),
    ",\n   \"columns\": ", list_of(quoted(rename(colnames(X)))),
    ",\n   \"assign\": ", list_of(attr(X, "assign")),
    ",\n   \"term_labels\": ", list_of(quoted(rename(attr(terms, "term.labels")))),
    ",\n   \"X\": ", rows_of(X), ",\n   \"X_new\": ", rows_of(N), "}")
}

write_file <- function(id, notes, cases) {
  text <- paste0("{\n \"schema\": \"oddsmith-golden/1\",\n \"id\": ", quoted(id), ",\n \"kind\": \"design\",\n \"made_by\": \"make_design.R\",\n",
    " \"r_version\": ", quoted(R.version.string), ",\n \"r_packages\": {\"splines\": ", quoted(as.character(packageVersion("splines"))), "},\n",
    " \"notes\": ", list_of(quoted(notes)), ",\n",
    " \"data\": ", table_of(d), ",\n \"new\": ", table_of(new), ",\n \"cases\": [\n", paste(cases, collapse = ",\n"), "\n ]\n}\n")
  writeLines(text, paste0(id, ".json"), sep = "")
}

coding <- c("~ x", "~ a", "~ a + b", "~ a*b", "~ a:b", "~ a + a:b", "~ b + a:b", "~ a*b - a", "~ a*b*c", "~ (a + b + c)^2",
  "~ a:x", "~ x + a:x", "~ x*a", "~ a:x + a:b", "~ a:x + a:b + a:b:x", "~ x:a + b:x", "~ a*b*x - a:b", "~ x:k + a:k:x",
  "~ 0 + x", "~ 0 + a", "~ 0 + x + a + b", "~ a + b - 1", "~ 0 + a:b", "~ 0 + a:x + b", "~ 0 + x + x:a + b:a", "~ 0 + a*b", "~ 0 + x:a + a:b",
  "~ b:a + x - 1", "~ 0 + c:x + a:c", "~ log(t) + sqrt(t) + I(x^2) + I(x/10):a", "~ exp(-t) * a", "~ log1p(t) + log2(t) + log10(t) + abs(k - 3)")
write_file("design_coding", "Which factors get all levels, the order of terms and columns, and their names. X holds the intercept where there is one.",
  c(vapply(coding, case, ""),
    case("~ C(b, ref = w)*a", "~ b*a", relevel = list(b = "w")),
    case("~ C(b, ref = v):x + C(c, ref = top)", "~ b:x + c", relevel = list(b = "v", c = "top"))))

write_file("design_contrasts", "Sum and polynomial contrasts.", c(
  case("~ C(b, contrast = sum)", "~ b", list(b = "contr.sum")),
  case("~ C(b, contrast = sum)*x", "~ b*x", list(b = "contr.sum")),
  case("~ C(c, contrast = poly)", "~ c", list(c = "contr.poly")),
  case("~ a*C(c, contrast = poly)", "~ a*c", list(c = "contr.poly")),
  case("~ C(b, contrast = sum)*C(c, contrast = poly)", "~ b*c", list(b = "contr.sum", c = "contr.poly")),
  case("~ C(c, contrast = poly) + a - 1", "~ c + a - 1", list(c = "contr.poly")),
  case("~ a + a:C(c, contrast = poly)", "~ a + a:c", list(c = "contr.poly")),
  case("~ a:C(b, contrast = sum)", "~ a:b", list(b = "contr.sum"))))

bases <- c("~ poly(x, 1)", "~ poly(x, 3)", "~ poly(k, 5)", "~ poly(log(t), 2)", "~ poly(x, 2):a", "~ poly(x, 2)*poly(k, 2)",
  "~ bs(x, df = 3)", "~ bs(x, df = 5)", "~ bs(z, df = 8)", "~ bs(x, knots = c(10, 20, 40))", "~ bs(x, df = 4, degree = 2)", "~ bs(x, df = 6, degree = 1)",
  "~ bs(x, df = 7, degree = 5)", "~ bs(log(t), df = 6)", "~ bs(k, df = 7)", "~ bs(x, df = 4):a + b",
  "~ ns(x, df = 1)", "~ ns(x, df = 2)", "~ ns(x, df = 5)", "~ ns(z, df = 4)", "~ ns(x, knots = c(12, 30))", "~ ns(log(t), df = 4)", "~ ns(k, df = 5)",
  "~ ns(x, df = 3)*a", "~ 0 + ns(x, df = 3):b", "~ bs(x, df = 4):ns(t, df = 2)")
write_file("design_bases", "Bases. X_new evaluates them at new rows, some beyond the range of the data, with the knots and polynomials of the data.", c(
  vapply(bases, case, ""),
  case("~ poly(x, 3, raw = true)", "~ poly(x, 3, raw = TRUE)"),
  # R's predict() loses digits beside an offset of 1e8; polynomials do not depend on it.
  case("~ poly(z, 4)", "~ poly(I(z - 1e8), 4)", renamed = "I(z - 1e+08)", to = "z")))
