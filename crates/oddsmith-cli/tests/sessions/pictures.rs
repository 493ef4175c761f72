//! Pictures and reports: what is written where, what is refused, and pages that hold what they must.

use std::time::Instant;

use quick_xml::Reader;
use quick_xml::events::Event;

use crate::session::Session;

const FIT: &str = "oddsmith fit births.csv 'low ~ age + lwt + smoke' -o low.odds -q --format csv > fit.csv";

#[test]
fn pictures_at_a_terminal_and_in_files() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        FIT,
        "oddsmith plot forest low.odds --format table",
        "oddsmith plot roc low.odds births.csv --format table",
        "oddsmith plot waterfall low.odds births.csv --row 3 --format table",
        "oddsmith plot forest low.odds --format csv",
        "oddsmith plot decision low.odds births.csv --format csv -q | head -3",
        "oddsmith plot forest low.odds | head -c 60",
        "oddsmith plot forest low.odds -o forest.svg",
        "oddsmith table births.csv --outcome low --exposure smoke --strata race --plot forest --format table",
        "oddsmith info births.csv --target low --features age,lwt,smoke --plot information --format table",
        "oddsmith plot boundary low.odds births.csv --format table",
    ]));
}

/// Pictures of analyses: what the numbers of the tables are beside each other.
#[test]
fn analyses_are_drawn() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith describe births.csv --by smoke --exclude bwt --plot differences --format table -q",
        "oddsmith describe births.csv --by race --columns age,lwt --plot differences --format csv -q",
        "oddsmith describe births.csv --plot differences",
        "oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt --plot forest --format table -q",
        "oddsmith confounding births.csv --outcome low --exposure smoke --exclude bwt --design case-control --plot forest --format csv -q | head -4",
        "oddsmith subgroups births.csv --outcome low --exposure smoke --candidates race,age --plot forest --format table -q",
        "oddsmith table births.csv --outcome low --exposure race --plot forest --format table -q",
        "oddsmith table births.csv --outcome low --exposure smoke --plot forest --format table -q",
        "oddsmith select births.csv --target low --model logistic --features age,lwt,smoke --by aic --plot steps --format table -q",
        "oddsmith bayes --model bent=0.8 --model straight=0.5 --prior 1/3,2/3 --counts 8,4 --plot posterior --format table",
        "oddsmith bayes --model bent=0.8 --model straight=0.5 --counts 8,4 --plot belief",
        "oddsmith degree births.csv 'bwt ~ lwt' --most 3 --plot description --format table",
        "oddsmith degree births.csv 'bwt ~ lwt' --most 3 --plot curves --format table",
        "oddsmith compare births.csv --target low --features age,lwt --models logistic,lda --mdl --plot description --format table -q",
    ]));
}

/// Drawings, byte by byte: a change of the layer that draws shows here.
#[test]
fn drawings_stay_as_they_are() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        FIT,
        "oddsmith fit births.csv --target low --features age,lwt,smoke --model tree --max-depth 2 -o tree.odds -q > tree.csv",
        "oddsmith plot forest low.odds --format svg",
        "oddsmith plot spread low.odds births.csv -q --format svg",
        "oddsmith plot nomogram low.odds births.csv -q --format svg",
        "oddsmith plot tree tree.odds --format svg",
        "oddsmith code tree a=0.5 b=0.25 c=0.25 --plot tree --format svg",
        "oddsmith degree births.csv 'bwt ~ lwt' --most 3 --plot description --format svg",
    ]));
}

#[test]
fn pictures_that_cannot_be_drawn_say_why() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        FIT,
        "oddsmith fit births.csv --target low --features age,lwt -o nb.odds -q --format csv > fit.csv",
        "oddsmith fit births.csv --target low --features age,lwt --model perceptron -o margin.odds -q --format csv > fit.csv",
        "oddsmith fit iris.csv --target Species -o iris.odds -q --format csv > fit.csv",
        "oddsmith plot forest nb.odds",
        "oddsmith plot tree nb.odds",
        "oddsmith plot roc low.odds",
        "oddsmith plot roc low.odds births.csv -o roc.png",
        "oddsmith plot roc low.odds births.csv -o births.csv",
        "oddsmith plot calibration margin.odds births.csv",
        "oddsmith plot decision iris.odds iris.csv",
        "oddsmith plot nomogram iris.odds iris.csv",
        "oddsmith plot nomogram margin.odds births.csv",
        "oddsmith plot influence nb.odds births.csv",
        "oddsmith plot landscape margin.odds births.csv",
        "oddsmith plot boundary low.odds births.csv --columns age,race",
        "oddsmith plot waterfall low.odds births.csv --row 500",
        "oddsmith plot rocs low.odds births.csv",
        "oddsmith evaluate low.odds births.csv --format svg",
        "oddsmith report low.odds births.csv",
        "oddsmith report low.odds births.csv --target low -o r.html",
        "oddsmith stats gather births.csv --target low --features age,lwt -o all.stats -q > stats.csv",
        "oddsmith fit all.stats --plot boundary",
        "oddsmith fit births.csv 'low ~ age' --plot boundaries",
        "oddsmith fit births.csv 'low ~ smoke' --plot tree",
        "oddsmith degree births.csv 'low ~ lwt' --plot curves",
    ]));
}

/// Every picture of every model is a well-formed file, or a refusal that says why.
#[test]
fn pictures_of_all_models_are_well_formed() {
    let session = Session::new();
    let mut drawn = 0;
    for model in oddsmith::registry::MODELS {
        let fit = format!("oddsmith fit births.csv --target low --features age,lwt,smoke,ht --model {} -o m.odds -q > fit.csv", model.name);
        if !session.shell(&fit).status.success() {
            continue;
        }
        for name in [
            "roc",
            "calibration",
            "threshold",
            "spread",
            "forest",
            "tree",
            "nomogram",
            "waterfall",
            "boundary",
            "density",
            "sigmoid",
            "columns",
            "residuals",
        ] {
            let ran = session.shell(&format!("oddsmith plot {name} m.odds births.csv -q --format svg"));
            let told = String::from_utf8_lossy(&ran.stderr).into_owned();
            match ran.status.code() {
                Some(0) => {
                    well_formed(&String::from_utf8(ran.stdout).unwrap());
                    drawn += 1;
                }
                code => assert!(matches!(code, Some(2 | 3)) && told.starts_with("error:"), "{} {name}: {code:?} {told}", model.name),
            }
        }
    }
    assert!(drawn > 60, "{drawn}");
}

fn well_formed(svg: &str) {
    let mut reader = Reader::from_str(svg);
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error}\n{svg}")) {
            Event::Eof => break,
            Event::Start(element) | Event::Empty(element) => assert!(element.attributes().all(|attribute| attribute.is_ok()), "{svg}"),
            _ => {}
        }
    }
    assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{svg}");
}

/// A fit draws over its rows what `plot` draws of the saved model over the same table, to the byte.
#[test]
fn a_fit_is_drawn_over_its_rows() {
    let session = Session::new();
    let mut drawn = 0;
    for model in oddsmith::registry::MODELS {
        for name in ["boundary", "density", "sigmoid", "columns", "nomogram", "residuals", "landscape"] {
            let fit = format!(
                "oddsmith fit births.csv --target low --features age,lwt,smoke,ht --model {} --plot {name} -o m.odds -q --format svg",
                model.name
            );
            let (fitted, plotted) =
                (session.shell(&fit), session.shell(&format!("oddsmith plot {name} m.odds births.csv -q --format svg")));
            if fitted.status.success() {
                assert!(plotted.status.success() && fitted.stdout == plotted.stdout, "{} {name}", model.name);
                drawn += 1;
            } else {
                assert!(!plotted.status.success(), "{} {name}", model.name);
            }
            session.shell("rm -f m.odds");
        }
    }
    assert!(drawn > 40, "{drawn}");
}

/// What the sliders of a page without rows can be set to stands for ten rows or more at every step, and small counts are not told.
#[test]
fn a_report_without_rows_has_no_step_of_one() {
    let session = Session::new();
    assert!(session.shell("oddsmith fit births.csv 'low ~ age + lwt + race + smoke + ht' -o low.odds -q > fit.csv").status.success());
    let page = |flag: &str| {
        assert!(session.shell(&format!("oddsmith report low.odds births.csv {flag} -o page.html -q")).status.success());
        String::from_utf8(session.read("page.html")).unwrap()
    };
    let fewest = |page: &str| {
        let held = page.split("id=\"page-data\">").nth(1).unwrap().split("</script>").next().unwrap();
        let data: serde_json::Value = serde_json::from_str(held).unwrap();
        let number = |cut: &serde_json::Value, at: usize| cut[at].as_f64().unwrap();
        let called: Vec<f64> = data["console"]["cuts"].as_array().unwrap().iter().map(|cut| number(cut, 1) + number(cut, 2)).collect();
        assert_eq!(called.last(), Some(&189.0));
        called.windows(2).map(|two| two[1] - two[0]).chain(called.first().copied()).fold(f64::INFINITY, f64::min)
    };
    let (open, closed) = (page(""), page("--no-rows"));
    assert!(fewest(&open) == 1.0 && fewest(&closed) >= 10.0, "{} {}", fewest(&open), fewest(&closed));
    // Five of twelve mothers with hypertension are in either class.
    assert!(closed.contains("under 10") && !open.contains("under 10"));
    assert!(closed.contains("10 rows or more with neighbouring scores are drawn as one") && !open.contains("drawn as one"));
    assert!(!closed.contains("id=\"fig-residuals\"") && open.contains("id=\"fig-residuals\""));
}

/// A report of 100,000 rows takes seconds at most, whatever the model: what grows faster than the rows would take minutes.
#[test]
fn reports_of_many_rows_take_seconds() {
    let session = Session::new();
    let mut text = String::from("x,z,kind,y\n");
    let mut state = 7u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    for _ in 0..100_000 {
        let (x, z, kind) = (random() * 4.0, random(), ["a", "b", "c", "d"][(random() * 4.0) as usize]);
        let event = random() < 1.0 / (1.0 + (2.0 - x - z).exp());
        text.push_str(&format!("{x:.4},{z:.4},{kind},{}\n", if event { "yes" } else { "no" }));
    }
    session.write("many.csv", &text);
    session.shell("head -3001 many.csv > some.csv");
    let mut judged = 0;
    for model in oddsmith::registry::MODELS {
        // A model of some of the rows costs less to fit and as much to ask.
        if !session.shell(&format!("oddsmith fit some.csv --target y --model {} -o m.odds -q > fit.csv", model.name)).status.success() {
            continue;
        }
        let begin = Instant::now();
        assert!(session.shell("oddsmith report m.odds many.csv -o m.html -q").status.success(), "{}", model.name);
        let took = begin.elapsed();
        assert!(took.as_secs() < 20, "{}: {took:?}", model.name);
        judged += 1;
    }
    assert!(judged >= 12, "{judged}");
}

/// A report of every model, and what every page must hold.
#[test]
fn reports_of_all_models_hold_what_they_must() {
    let session = Session::new();
    let mut written = 0;
    for model in oddsmith::registry::MODELS {
        let line =
            format!("oddsmith report births.csv --target low --features age,lwt,smoke,ht --model {} --folds 3 -o r.html -q", model.name);
        let ran = session.shell(&line);
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        if !ran.status.success() {
            assert!(matches!(ran.status.code(), Some(2 | 3 | 5)), "{}: {told}", model.name);
            continue;
        }
        let page = String::from_utf8(session.read("r.html")).unwrap();
        for section in ["short", "data", "model", "threshold", "calibration", "usefulness", "information", "row", "checks", "methods"] {
            assert!(page.contains(&format!("<section id=\"{section}\"")), "{}: no {section}", model.name);
        }
        assert!(page.contains("default-src 'none'") && page.len() < 400_000, "{}: {} bytes", model.name, page.len());
        let markup = page.split("</style>").nth(1).unwrap().split("<script").next().unwrap();
        assert!(!markup.contains(" style=") && !markup.contains("NaN") && !markup.contains("http"), "{}", model.name);
        written += 1;
    }
    assert!(written >= 12, "{written}");
}

/// A page does not grow with the rows, and does not take long.
#[test]
fn a_report_of_many_rows_stays_small() {
    let session = Session::new();
    let mut text = String::from("x,z,u,v,kind,y\n");
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1u32 << 31)
    };
    for _ in 0..40_000 {
        let (x, z, u, v) = (random() * 4.0, random(), random() * 1e4, random());
        let event = random() < 1.0 / (1.0 + (2.0 - x - z).exp());
        let kind = ["a", "b", "c", "d"][(random() * 4.0) as usize];
        text.push_str(&format!("{x:.4},{z:.4},{u:.4},{v:.4},{kind},{}\n", if event { "yes" } else { "no" }));
    }
    session.write("many.csv", &text);
    assert!(session.shell("oddsmith fit many.csv 'y ~ x + z + u + v + kind' -o many.odds -q > fit.csv").status.success());
    let begin = Instant::now();
    assert!(session.shell("oddsmith report many.odds many.csv -o many.html -q").status.success());
    let size = session.read("many.html").len();
    assert!(size < 400_000, "{size} bytes, {:?}", begin.elapsed());
}

/// A table is read in parts, and a picture names rows by their place in the whole.
#[test]
fn rows_of_later_parts_are_named_by_their_place_in_the_table() {
    let session = Session::new();
    let odd = 69_321;
    let mut text = String::from("x,note,y\n");
    for row in 1..=70_000 {
        let x = if row == odd { 300.0 } else { f64::from(row % 101) / 10.0 - 5.0 };
        text.push_str(&format!(
            "{x},a note that nobody asked for and that fills the part,{}\n",
            if row == odd || row % 7 > 3 { "no" } else { "yes" }
        ));
    }
    // Parts have four megabytes.
    assert!(text.len() > 4 << 20);
    session.write("long.csv", &text);
    assert!(session.shell("oddsmith fit long.csv 'y ~ x' -o long.odds -q > fit.csv").status.success());
    let ran = session.shell("oddsmith plot influence long.odds long.csv --format json -q");
    let picture: serde_json::Value = serde_json::from_slice(&ran.stdout).unwrap();
    let summary = picture["summary"].as_str().unwrap();
    assert!(summary.contains(&format!("of row {odd}.")), "{summary}");
}

/// A model that compares rows with all rows of its fit is judged on a sample, and the page says so.
#[test]
fn a_report_says_how_many_rows_stand_for_all() {
    let session = Session::new();
    let table = |rows: u64| {
        let mut text = String::from("x,y\n");
        for row in 0..rows {
            let x = (row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / f64::from(1u32 << 24);
            let event = (row.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64 / f64::from(1u32 << 24) < x;
            text.push_str(&format!("{x:.5},{}\n", if event { "yes" } else { "no" }));
        }
        text
    };
    session.write("many.csv", table(50_000)).write("new.csv", table(30_000));
    assert!(session.shell("oddsmith fit many.csv --target y --model knn --k 5 -o knn.odds -q > fit.csv").status.success());
    assert!(session.shell("oddsmith report knn.odds new.csv -o knn.html -q").status.success());
    let page = String::from_utf8(session.read("knn.html")).unwrap();
    let told = page.split(" of the 30000 rows, chosen by a hash of their numbers").next().unwrap();
    let rows: f64 = told.rsplit(' ').next().unwrap().parse().unwrap();
    // A billion comparisons with 50,000 rows: 20,000, give or take six standard deviations of the draw.
    assert!((rows - 20_000.0).abs() < 500.0, "{rows}");
}

/// Sentences of a page are about what is on it.
#[test]
fn a_report_speaks_of_what_it_shows() {
    let session = Session::new();
    let page = |words: &str| {
        assert!(session.shell(&format!("oddsmith report {words} -o page.html -q")).status.success(), "{words}");
        String::from_utf8(session.read("page.html")).unwrap()
    };
    assert!(session.shell("oddsmith fit births.csv 'low ~ lwt + race + smoke' -o low.odds -q > fit.csv").status.success());
    let (without, open) = (page("low.odds"), page("low.odds births.csv"));
    let stand = "Rows stand at the top or the bottom";
    assert!(open.contains(stand) && !page("low.odds births.csv --no-rows").contains(stand));
    assert!(without.contains("holds no row of any table") && open.contains("the rows that its pictures show one by one"));
    session.write("mail.csv", "t,y\nred fox jumps,a\nold hen sits,b\nred hen runs,a\nold fox sleeps,b\n".repeat(10));
    let texts = page("mail.csv --target y --kind t=text --model multinomial-nb");
    assert!(open.contains("Numbers: mean (standard deviation); categories:") && !texts.contains("standard deviation)"));
    assert!(page("iris.csv --target Species --model lda").contains("150 rows of iris.csv. Mean (standard deviation) of every column."));
    // An interval that ends below 1 is not told as if it reached it.
    let below = open.split("<b>Lower with</b> lwt (").nth(1).unwrap().split(')').next().unwrap();
    let high: f64 = below.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(high < 1.0, "{below}");
    let tree = page("births.csv --target low --exclude bwt --model tree");
    assert!(tree.contains("what column <code>lwt</code> adds depends on other columns.") && !tree.contains("`lwt`"));
}

/// A saved page of one picture follows the reader's theme and width, and asks for nothing.
#[test]
fn a_saved_page_is_whole() {
    let session = Session::new();
    assert!(session.shell("oddsmith fit births.csv 'low ~ age + smoke' -o low.odds -q > fit.csv").status.success());
    assert!(session.shell("oddsmith plot forest low.odds -o forest.html -q").status.success());
    let page = String::from_utf8(session.read("forest.html")).unwrap();
    assert!(
        page.starts_with("<!doctype html>") && page.contains("default-src 'none'") && page.contains("prefers-color-scheme:dark"),
        "{page}"
    );
    assert_eq!(page.matches("<svg ").count(), 2, "one for wide and one for narrow screens");
    assert!(!page.contains("<script") && !page.contains(" style="), "{page}");
}
