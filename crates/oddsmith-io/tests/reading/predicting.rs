//! New rows for a known layout: matching by name, unseen levels, echoes, streams.

use crate::tables::table;
use oddsmith::control::Control;
use oddsmith::data::{Classes, Feature, Layout, Levels, MISSING, SKIP, UNSEEN, Vocabulary, Weighting, WordValue};
use oddsmith_io::{Input, ReadOptions, Roles, open, open_for_prediction};

fn layout() -> Layout {
    let features = vec![
        Feature::number("age"),
        Feature::category("sex", Levels::sorted(vec!["f".into(), "m".into(), "0".into()])),
        Feature::boolean("smoker"),
        Feature::words("note", Vocabulary::Listed(vec!["cat".into(), "red cat".into()]), WordValue::Count),
    ];
    Layout::new("y", features, Classes::new(vec!["no".into(), "yes".into()]).unwrap(), Weighting::None).unwrap()
}

/// Rows as text, then the notices.
fn scored(text: &str, echo: &[&str], options: &ReadOptions) -> oddsmith::Result<(Vec<String>, Vec<String>)> {
    let echo: Vec<String> = echo.iter().map(|name| name.to_string()).collect();
    let rows = open_for_prediction(&table(text), options, &layout(), &echo)?;
    let mut notices = rows.notices.clone();
    let mut all = Vec::new();
    notices.extend(rows.scan(&Control::new(), &mut |batch| {
        assert_eq!(batch.first_row, all.len() as u64);
        let first = all.len();
        for i in 0..batch.features.rows() {
            let code = |j: usize| match batch.features.codes.get(i, j) {
                MISSING => "-".to_owned(),
                UNSEEN => "!".to_owned(),
                code => code.to_string(),
            };
            let (columns, values) = batch.features.words[0].row(i);
            let label = batch.labels.map(|labels| match labels[i] {
                SKIP => " -".to_owned(),
                UNSEEN => " !".to_owned(),
                label => format!(" {label}"),
            });
            all.push(format!(
                "{} {} {} {columns:?}{values:?}{}",
                batch.features.numbers.get(i, 0),
                code(0),
                code(1),
                label.unwrap_or_default()
            ));
        }
        (0..echo.len()).for_each(|e| batch.echo(e, |i, cell| all[first + i].push_str(&format!(" <{cell}>"))));
        Ok(())
    })?);
    Ok((all, notices.iter().map(ToString::to_string).collect()))
}

#[test]
fn columns_are_found_by_name_and_levels_by_text() {
    let text = "extra,note,smoker,id,sex,age\n1,Red cat! cat,YES,\"a,1\",m,030\n2,,1,b,x,NA\n3,dog,,c,-0,2\n4,cat,perhaps,d,,1e3\n";
    for partition_bytes in [1, 40, 4 << 20] {
        let options = ReadOptions { partition_bytes, ..ReadOptions::default() };
        let (rows, notices) = scored(text, &["id"], &options).unwrap();
        assert_eq!(rows, ["30 2 1 [0, 1][2.0, 1.0] <a,1>", "NaN ! 1 [][] <b>", "2 0 - [][] <c>", "1000 - ! [0][1.0] <d>"]);
        assert_eq!(
            notices,
            [
                "W302 not used by the model: extra",
                "W301 sex 1 row has a level that the model never saw, first `x`; it counts as missing",
                "W301 smoker 1 row has a level that the model never saw, first `perhaps`; it counts as missing",
            ]
        );
    }
}

#[test]
fn the_target_is_handed_through() {
    let (rows, _) = scored("age,sex,smoker,note,y\n1,f,0,,yes\n1,f,0,,\n1,f,0,,maybe\n", &[], &ReadOptions::default()).unwrap();
    assert_eq!(rows, ["1 1 0 [][] 1", "1 1 0 [][] -", "1 1 0 [][] !"]);
}

#[test]
fn missing_columns_and_bad_cells_are_errors() {
    let message = |text: &str, echo: &[&str]| scored(text, echo, &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(message("age,sex,note\n1,f,\n", &[]), "t.csv: column `smoker`: is missing; the table has: age, sex, note");
    assert_eq!(message("age,sex,smoker,note\n1,f,0,\n", &["idd"]), "there is no column `idd`; there are: age, sex, smoker, note");
    let text = "age,sex,smoker,note\n1,f,0,\nold,f,0,\n";
    assert_eq!(
        message(text, &[]),
        "t.csv: column `age`, row 2: is not a number: `old`; correct it, list it as missing with --missing-markers, or give the column another --kind"
    );
    let text = "age,sex,smoker,note\n1,f,0,\n\n1,f,0\n";
    assert_eq!(message(text, &[]), "t.csv: row 2, line 4: 4 cells expected, 3 found; mend the row, or use --ragged pad or --ragged skip");
    assert_eq!(
        message("age,sex,smoker,note\n1,f,0,\"\n2\n", &[]),
        "t.csv: line 2: a quote is opened and never closed, and swallows 2 line ends; close it, or read quotes as ordinary characters with --quote none"
    );
}

#[test]
fn what_was_learned_is_predicted_alike() {
    let text = "x,c,t,y\n1,a,the red fox,p\n,b,the old hen,q\n3,,,p\n4,a,an old red fox,q\n";
    let learned = open(&table(text), &ReadOptions::default(), &Roles::target("y"), &Control::new()).unwrap();
    let expected = crate::tables::rows(&*learned.source);
    let rows = open_for_prediction(&table(text), &ReadOptions::default(), learned.layout(), &[]).unwrap();
    let mut seen = 0;
    rows.scan(&Control::new(), &mut |batch| {
        learned.source.scan(0, &mut |rows| {
            assert_eq!(batch.labels, Some(rows.labels));
            assert_eq!(format!("{:?}", batch.features.codes), format!("{:?}", rows.features.codes));
            assert_eq!(format!("{:?}", batch.features.words), format!("{:?}", rows.features.words));
            assert_eq!(format!("{:?}", batch.features.numbers), format!("{:?}", rows.features.numbers));
            Ok(())
        })?;
        seen += batch.features.rows();
        Ok(())
    })
    .unwrap();
    assert_eq!(seen, expected.len());
}

#[test]
fn lines_are_scored_with_and_without_labels() {
    let learned =
        open(&table("__label__a red fox\n__label__b old hen\n"), &ReadOptions::default(), &Roles::default(), &Control::new()).unwrap();
    for (text, labels) in [
        ("the fox, again\nhen\n", [SKIP, SKIP]),
        ("__label__b __label__a fox\n__label__a hen", [1, 0]),
        ("text,label\nfox,b\nhen,a\n", [1, 0]),
    ] {
        let rows = open_for_prediction(&table(text), &ReadOptions::default(), learned.layout(), &[]).unwrap();
        let mut found = Vec::new();
        rows.scan(&Control::new(), &mut |batch| {
            found.extend((0..batch.features.rows()).map(|i| (batch.features.words[0].row(i).0.to_vec(), batch.labels.unwrap()[i])));
            Ok(())
        })
        .unwrap();
        assert_eq!(found, [(vec![0], labels[0]), (vec![1], labels[1])], "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_answered_before_it_ends() {
    use std::io::Write;
    let (reader, mut writer) = std::io::pipe().unwrap();
    use std::os::fd::AsRawFd;
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    let (answer, answered) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let rows = open_for_prediction(&Input::Path(path.into()), &ReadOptions::default(), &layout(), &[]).unwrap();
            rows.scan(&Control::new(), &mut |batch| {
                (0..batch.features.rows()).for_each(|i| answer.send(batch.features.numbers.get(i, 0)).unwrap());
                Ok(())
            })
            .unwrap();
            drop(reader);
        });
        writer.write_all(b"age,sex,smoker,note\n1,f,0,x\n2,f,1,y\n").unwrap();
        let wait = std::time::Duration::from_secs(20);
        assert_eq!((answered.recv_timeout(wait).unwrap(), answered.recv_timeout(wait).unwrap()), (1.0, 2.0));
        writer.write_all(b"3,f,0,x\n").unwrap();
        assert_eq!(answered.recv_timeout(wait).unwrap(), 3.0);
        drop(writer);
    });
}
