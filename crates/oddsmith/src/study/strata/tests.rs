use super::*;
use serde_json::Value;

fn close(name: &str, ours: f64, expected: f64, tolerance: f64) {
    assert!((ours - expected).abs() <= tolerance * expected.abs(), "{name}: {ours} is not {expected}");
}

fn tables(rows: &[[f64; 4]]) -> StratifiedTable {
    StratifiedTable { strata: rows.iter().map(|cells| Table2x2::new(*cells).unwrap()).collect() }
}

/// R 4.2.2 `mantelhaen.test`, epiR 2.0.57 `epi.2by2`, on UCBAdmissions.
#[test]
fn strata_agree_with_r() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/mh_ucbadmissions.json")).unwrap();
    let r = &golden["results"];
    let cell = |table: &Value, row: usize, column: usize| table[row][column].as_f64().unwrap();
    let rows: Vec<[f64; 4]> =
        r["table"].as_array().unwrap().iter().map(|t| [cell(t, 0, 0), cell(t, 0, 1), cell(t, 1, 0), cell(t, 1, 1)]).collect();
    let strata = tables(&rows);
    let check = |name: &str, ours: f64, expected: &Value| close(name, ours, expected.as_f64().unwrap(), 1e-10);
    let odds = strata.mh_odds_ratio(0.95);
    check("OR", odds.value, &r["mh_odds_ratio"]);
    check("OR low", odds.low, &r["mh_or_lo"]);
    check("OR high", odds.high, &r["mh_or_hi"]);
    check("CMH", strata.cmh(false).statistic, &r["cmh_chisq"]);
    check("CMH p", strata.cmh(false).p_value, &r["cmh_p"]);
    check("CMH corrected", strata.cmh(true).statistic, &r["cmh_chisq_corrected"]);
    check("CMH corrected p", strata.cmh(true).p_value, &r["cmh_p_corrected"]);
    let count = strata.exact().unwrap();
    let exact = count.estimate(0.95, false);
    check("exact OR", exact.value, &r["exact"]["conditional_odds_ratio"]);
    check("exact low", exact.low, &r["exact"]["lo"]);
    check("exact high", exact.high, &r["exact"]["hi"]);
    check("exact p", count.p_value(), &r["exact"]["p"]);
    let risk = strata.mh_risk_ratio(0.95);
    check("RR", risk.value, &r["mh_risk_ratio"]);
    check("RR low", risk.low, &r["epiR"]["RR_mh"][1]);
    check("RR high", risk.high, &r["epiR"]["RR_mh"][2]);
    let [plain, tarone] = strata.breslow_day();
    check("Breslow–Day", plain.statistic, &r["breslow_day_chisq"]);
    check("Breslow–Day p", plain.p_value, &r["breslow_day_p"]);
    check("Tarone", tarone.statistic, &r["breslow_day_tarone_chisq"]);
    check("Tarone p", tarone.p_value, &r["breslow_day_tarone_p"]);
    // epiR adds ½ to every cell for this test, whether one is empty or not.
    let added = StratifiedTable { strata: strata.strata.iter().map(|stratum| stratum.plus(0.5)).collect() };
    check("Woolf OR", added.woolf_odds_ratios().statistic, &r["epiR"]["OR_homogeneity_woolf"][0]);
    check("Woolf RR", strata.woolf_risk_ratios().statistic, &r["epiR"]["RR_homogeneity_woolf"][0]);
    let crude = strata.crude();
    for (ours, name) in
        [(crude.woolf(0.95), "OR_crude_wald"), (crude.katz(0.95), "RR_crude_wald"), (crude.wald_difference(0.95), "ARisk_crude_wald")]
    {
        check(name, ours.value, &r["epiR"][name][0]);
        check(name, ours.low, &r["epiR"][name][1]);
        check(name, ours.high, &r["epiR"][name][2]);
    }
    let difference = strata.mh_risk_difference(0.95);
    close("RD", difference.value, -0.018_425_196_19, 1e-9);
    close("RD SE", difference.std_error, 0.014_825_394_44, 1e-9);
    close("RR SE", risk.std_error, 0.044_223_994_44, 1e-9);
}

/// Kidney stones (Charig and others, 1986): success by treatment A or B, small and large stones. Answers by two other programs.
#[test]
fn a_reversal_is_known_to_ten_digits() {
    let strata = tables(&[[81.0, 6.0, 234.0, 36.0], [192.0, 71.0, 55.0, 25.0]]);
    let (odds, risk, difference) = (strata.mh_odds_ratio(0.95), strata.mh_risk_ratio(0.95), strata.mh_risk_difference(0.95));
    let [plain, tarone] = strata.breslow_day();
    for (name, ours, expected) in [
        ("crude", strata.crude().odds_ratio(), 0.748_348_537_3),
        ("OR", odds.value, 1.446_846_625),
        ("low", odds.low, 0.915_793_413_5),
        ("high", odds.high, 2.285_848_67),
        ("Breslow–Day", plain.statistic, 0.968_446_440_8),
        ("Tarone", tarone.statistic, 0.965_629_777_9),
        ("CMH", strata.cmh(false).statistic, 2.433_855_516),
        ("corrected", strata.cmh(true).statistic, 2.091_256_85),
        ("RR", risk.value, 1.069_000_154),
        ("RR SE", risk.std_error, 0.041_767_199_25),
        ("RD", difference.value, 0.053_835_570_24),
        ("RD SE", difference.std_error, 0.033_554_195_88),
    ] {
        close(name, ours, expected, 1e-9);
    }
}

#[test]
fn strata_that_tell_nothing_change_nothing() {
    let own = tables(&[[81.0, 6.0, 234.0, 36.0], [192.0, 71.0, 55.0, 25.0]]);
    let more = tables(&[[81.0, 6.0, 234.0, 36.0], [0.0, 5.0, 0.0, 7.0], [192.0, 71.0, 55.0, 25.0], [3.0, 4.0, 0.0, 0.0]]);
    assert_eq!(own.mh_odds_ratio(0.95), more.mh_odds_ratio(0.95));
    assert_eq!((own.cmh(true), own.breslow_day(), own.woolf_odds_ratios()), (more.cmh(true), more.breslow_day(), more.woolf_odds_ratios()));
    assert_eq!(own.exact(), more.exact());
    assert_eq!(more.informative().count(), 2);
}

#[test]
fn one_stratum_is_its_own_table() {
    let one = tables(&[[30.0, 44.0, 29.0, 86.0]]);
    let table = one.strata[0];
    close("OR", one.mh_odds_ratio(0.95).value, table.odds_ratio(), 1e-14);
    close("RR", one.mh_risk_ratio(0.95).value, table.risk_ratio(), 1e-14);
    close("RR SE", one.mh_risk_ratio(0.95).std_error, table.katz(0.95).std_error, 1e-14);
    close("RD", one.mh_risk_difference(0.95).value, table.risk_difference(), 1e-14);
    assert!(one.breslow_day()[0].p_value.is_nan() && one.breslow_day()[0].df == 0);
}

/// Fractions by hand: r1 = 357/700 · 81/87 + 343/700 · 192/263, r0 = 357/700 · 234/270 + 343/700 · 55/80.
#[test]
fn standardised_risks_are_weighted_means() {
    let strata = tables(&[[81.0, 6.0, 234.0, 36.0], [192.0, 71.0, 55.0, 25.0], [3.0, 4.0, 0.0, 0.0]]);
    let told = strata.standardised(0.95);
    let (small, large) = (357.0 / 700.0, 343.0 / 700.0);
    let (r1, r0) = (small * 81.0 / 87.0 + large * 192.0 / 263.0, small * 234.0 / 270.0 + large * 55.0 / 80.0);
    close("r1", told.exposed.value, r1, 1e-14);
    close("r0", told.unexposed.value, r0, 1e-14);
    close("RD", told.risk_difference.value, r1 - r0, 1e-12);
    close("OR", told.odds_ratio.value, r1 / (1.0 - r1) / (r0 / (1.0 - r0)), 1e-13);
    // The delta method by finite differences over the four risks.
    let (n, p) = ([87.0, 263.0, 270.0, 80.0], [81.0 / 87.0, 192.0 / 263.0, 234.0 / 270.0, 55.0 / 80.0]);
    let log_odds_ratio = |p: [f64; 4]| {
        let (r1, r0) = (small * p[0] + large * p[1], small * p[2] + large * p[3]);
        (r1 / (1.0 - r1) / (r0 / (1.0 - r0))).ln()
    };
    let variance: f64 = (0..4)
        .map(|at| {
            let shifted = |way: f64| {
                let mut p = p;
                p[at] += way;
                log_odds_ratio(p)
            };
            ((shifted(1e-6) - shifted(-1e-6)) / 2e-6).powi(2) * p[at] * (1.0 - p[at]) / n[at]
        })
        .sum();
    close("SE", told.odds_ratio.std_error, variance.sqrt(), 1e-7);
    // Without differences between strata nothing confounds and nothing fails to collapse.
    let same = tables(&[[30.0, 44.0, 29.0, 86.0], [60.0, 88.0, 58.0, 172.0]]);
    close("same", same.standardised(0.95).odds_ratio.value, same.crude().odds_ratio(), 1e-12);
}

/// Oral cancer, smoking and alcohol (Rothman and Keller 1972), as Hosmer and Lemeshow (1992) give it: RERI 3.74 (−1.84 to 9.32), AP 0.41 (−0.07 to
/// 0.90), S 1.87 (0.64 to 5.42). To all digits by epiR 2.0.57 `epi.interaction` and by finite differences over R's `glm`.
#[test]
fn additive_interaction_is_the_published_one() {
    let strata = tables(&[[8.0, 18.0, 3.0, 20.0], [225.0, 166.0, 6.0, 12.0]]);
    let told = strata.additive_interaction(0.95).unwrap();
    for (ours, value, low, high) in
        [(told.reri, 3.74, -1.84, 9.32), (told.attributable, 0.41, -0.07, 0.90), (told.synergy, 1.87, 0.64, 5.42)]
    {
        let near = |ours: f64, published: f64| (ours - published).abs() <= 0.0101;
        assert!(near(ours.value, value) && near(ours.low, low) && near(ours.high, high), "{ours:?}");
    }
    let golden: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/interaction_r.json")).unwrap();
    let r = &golden["results"];
    for (ours, name) in [(told.reri, "reri"), (told.attributable, "ap"), (told.synergy, "s")] {
        let at = |part: &str, at: usize| r[part][name][at].as_f64().unwrap();
        close(name, ours.value, at("oral_epir", 0), 1e-9);
        close(name, ours.low, at("oral_epir", 1), 1e-9);
        close(name, ours.high, at("oral_epir", 2), 1e-9);
        close(name, ours.std_error, at("oral", 1), 1e-8);
    }
    // Odds that add up have none: 2, 3 and 4 times those of the first group.
    let additive = tables(&[[20.0, 100.0, 10.0, 100.0], [40.0, 100.0, 30.0, 100.0]]).additive_interaction(0.95).unwrap();
    assert!(additive.reri.value.abs() < 1e-12 && additive.attributable.value.abs() < 1e-12 && (additive.synergy.value - 1.0).abs() < 1e-12);
    assert_eq!(tables(&[[8.0, 18.0, 3.0, 20.0]]).additive_interaction(0.95), None);
}

/// R 4.2.2 `glm(y ~ x + stratum)`, metafor 3.8.1 `rma.mh` on random strata: estimates, errors, limits, CMH and Tarone's test.
#[test]
fn random_strata_agree_with_glm_and_metafor() {
    let golden: Value = serde_json::from_str(include_str!("../../../../../testdata/golden/strata_r.json")).unwrap();
    let cases = golden["results"]["strata"].as_array().unwrap();
    assert_eq!(cases.len(), 6);
    for case in cases {
        let numbers = |name: &str| -> Vec<f64> { case[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect() };
        let rows: Vec<[f64; 4]> = numbers("cells").chunks(4).map(|row| [row[0], row[1], row[2], row[3]]).collect();
        let strata = tables(&rows);
        let (logistic, r) = (strata.logistic_odds_ratio(0.95), numbers("logistic"));
        close("logistic", logistic.value.ln(), r[0], 1e-9);
        close("logistic SE", logistic.std_error, r[1], 1e-9);
        let (odds, r) = (strata.mh_odds_ratio(0.95), numbers("or"));
        for (name, ours, expected) in [
            ("OR", odds.value.ln(), r[0]),
            ("OR SE", odds.std_error, r[1]),
            ("OR low", odds.low.ln(), r[2]),
            ("OR high", odds.high.ln(), r[3]),
        ] {
            close(name, ours, expected, 1e-9);
        }
        close("CMH", strata.cmh(false).statistic, r[4], 1e-9);
        close("CMH p", strata.cmh(false).p_value, r[5], 1e-8);
        if rows.len() > 1 {
            close("Tarone", strata.breslow_day()[1].statistic, r[6], 1e-8);
            close("Tarone p", strata.breslow_day()[1].p_value, r[7], 1e-8);
        }
        let (risk, r) = (strata.mh_risk_ratio(0.95), numbers("rr"));
        close("RR", risk.value.ln(), r[0], 1e-9);
        close("RR SE", risk.std_error, r[1], 1e-9);
        let (difference, r) = (strata.mh_risk_difference(0.95), numbers("rd"));
        close("RD", difference.value, r[0], 1e-9);
        close("RD SE", difference.std_error, r[1], 1e-9);
    }
}

#[test]
fn a_logistic_odds_ratio_may_be_unbounded() {
    assert_eq!(tables(&[[5.0, 0.0, 3.0, 4.0], [2.0, 0.0, 1.0, 6.0]]).logistic_odds_ratio(0.95).value, f64::INFINITY);
    assert_eq!(tables(&[[0.0, 5.0, 3.0, 4.0]]).logistic_odds_ratio(0.95).value, 0.0);
    let one = tables(&[[30.0, 44.0, 29.0, 86.0]]);
    close("one table", one.logistic_odds_ratio(0.95).value, one.strata[0].odds_ratio(), 1e-12);
    close("Woolf", one.logistic_odds_ratio(0.95).std_error, one.strata[0].woolf(0.95).std_error, 1e-10);
}
