//! Least squares, perceptron, neighbours, kernels and networks: what they show, margins under every command, and bad input.

use crate::session::Session;

#[test]
fn margins_under_every_command() {
    let session = Session::new();
    assert_session!(session.transcript(&[
        "oddsmith fit births.csv --target low --features age,lwt,race,smoke --model least-squares -o line.odds --format table",
        "oddsmith show line.odds --format table",
        "oddsmith predict line.odds births.csv --format csv | head -3",
        "oddsmith predict line.odds births.csv --log-odds",
        "oddsmith predict line.odds births.csv --threshold 0.3",
        "oddsmith evaluate line.odds births.csv --format csv | head -12",
        "oddsmith evaluate line.odds births.csv --show reliability",
        "oddsmith explain line.odds births.csv --row 3 --format table",
        "oddsmith threshold line.odds births.csv --youden",
        "oddsmith calibrate line.odds births.csv -o sure.odds --format table",
        "oddsmith predict sure.odds births.csv --format csv | head -2",
        "oddsmith threshold sure.odds births.csv --youden --format csv | head -1",
        "oddsmith compare births.csv --target low --features age,lwt,smoke --models lda,least-squares --folds 3 --format csv | cut -d, -f1-13",
        "oddsmith select births.csv --target low --features age,lwt --model least-squares",
    ]));
}

#[test]
fn learners_show_what_they_learned() {
    let session = Session::new();
    session.write("xor.csv", "a,b,y\n0,0,even\n0,1,odd\n1,0,odd\n1,1,even\n");
    assert_session!(session.transcript(&[
        "oddsmith fit xor.csv --target y --kind a=number,b=number --model perceptron --epochs 5 --format table",
        "oddsmith fit iris.csv --target Species --model knn -o knn.odds --format table",
        "oddsmith explain knn.odds iris.csv --row 71 --format table",
        "oddsmith stats gather iris.csv --target Species -o iris.stats -q",
        "oddsmith fit iris.stats --model least-squares --coding zero-one --format table",
        "oddsmith help W431",
        "oddsmith fit births.csv --target low --features age,lwt,smoke --model kernel-logistic --landmarks 10 -o kernel.odds -q",
        "oddsmith predict kernel.odds births.csv --interval 0.9 --format csv | head -3",
        "oddsmith fit iris.csv --target Species --model perceptron --epochs 20 --glance --format csv",
        "oddsmith fit iris.csv --target Species --model network --search adam --steps 3 --glance --format csv",
    ]));
}

#[test]
fn one_table_of_all_kinds_of_models() {
    let session = Session::new();
    let models = "tree,forest,boosting,knn,nb,lda,logistic,least-squares,network";
    // Times are left away, and digits that the end of a search decides. Birth weight is what the classes are made of: the regression refuses it, and says why.
    let shortened = r"cut -d, -f1-13 | sed -E 's/([0-9]\.[0-9]{3})[0-9]*/\1/g'";
    assert_session!(session.transcript(&[
        &format!("oddsmith compare births.csv --target low --models {models} --exclude bwt --folds 5 --format csv | {shortened}"),
        "oddsmith compare births.csv --target low --models logistic --folds 5 --format csv | cut -d, -f1,15-",
    ]));
}

#[test]
fn bad_input_is_refused_with_what_is_wrong() {
    let session = Session::new();
    session
        .write("one.csv", "x,y\n1,a\n2,a\n3,a\n")
        .write("gone.csv", "x,y\n,a\n,b\n,a\n,b\n")
        .write("same.csv", "x,z,y\n5,1,a\n5,2,b\n5,3,a\n5,4,b\n");
    session
        .write("inf.csv", "x,y\n1,a\n2,b\ninf,a\n4,b\n")
        .write("weight.csv", "x,w,y\n1,0,a\n2,0,b\n3,0,a\n")
        .write("level.csv", "c,y\nu,a\nv,b\nu,a\nv,b\n");
    session.write("new.csv", "c\nnever\n");
    let mut lines = vec![
        "oddsmith fit births.csv --target low --features age --model knn --k 500".to_owned(),
        "oddsmith fit births.csv --target low --features age --model network --hidden 0".into(),
        "oddsmith fit births.csv --target low --features age --model network --search sgd".into(),
        "oddsmith fit births.csv --target low --features age --model perceptron --epochs 0".into(),
        "oddsmith fit births.csv --target low --features age --model kernel-logistic --landmarks 0".into(),
    ];
    let lines_and_kernels = ["least-squares", "perceptron", "knn", "network", "kernel-logistic", "kernel-least-squares"];
    for model in lines_and_kernels.into_iter().chain(["tree", "forest", "boosting"]) {
        for table in ["one.csv --kind x=number", "gone.csv --kind x=number", "same.csv", "inf.csv --kind x=number"] {
            lines.push(format!("oddsmith fit {table} --target y --model {model} --glance --format csv"));
        }
        lines.push(format!("oddsmith fit weight.csv --target y --weight w --model {model} --glance --format csv"));
        lines.push(format!("oddsmith fit level.csv --target y --model {model} -o m.odds -q --glance --format csv"));
        lines.push("oddsmith predict m.odds new.csv --format csv".into());
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_session!(session.transcript(&lines));
}
