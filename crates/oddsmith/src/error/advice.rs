//! What can be done about a fault, as data. The library knows options, models and columns; how they are asked for (a flag, an argument,
//! a click) is the front end's business, which words them.

use std::fmt;

/// What can be done about a fault.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Advice {
    /// Words that hold in every front end.
    Words(String),
    /// Give an option of the model a value.
    Set {
        /// The option, as the registry declares it.
        option: &'static str,
        /// The value.
        value: &'static str,
        /// What that does, as an order; empty where the option says it all.
        to: &'static str,
    },
    /// Add the penalty ½ λ Σ β².
    PenaliseWith {
        /// Its strength λ.
        l2: f64,
    },
    /// Do without columns: those that are named, else the one that the fault is about.
    LeaveOut(Vec<String>),
    /// Read the column as one of another kind.
    ChangeKind,
    /// Use another model.
    UseModel {
        /// Its name in the registry.
        name: &'static str,
        /// Why it would do, as the rest of a sentence; empty where it needs no reason.
        why: &'static str,
    },
    /// Any one of several.
    AnyOf(Vec<Advice>),
}

/// How a front end asks for things.
pub trait Wording {
    /// An option with a value; the option alone where the value is empty.
    fn option(&self, name: &str, value: &str) -> String;

    /// A quadratic penalty of this strength.
    fn penalty(&self, l2: f64) -> String {
        self.option("l2", &l2.to_string())
    }

    /// A model of the registry.
    fn model(&self, name: &str) -> String;

    /// What leaves columns out, where that needs more than not naming them.
    fn leave_out(&self) -> Option<String> {
        None
    }
}

/// Names as the registry declares them, for readers of the library's own errors.
pub struct Plain;

impl Wording for Plain {
    fn option(&self, name: &str, value: &str) -> String {
        if value.is_empty() { name.to_owned() } else { format!("{name}={value}") }
    }

    fn model(&self, name: &str) -> String {
        name.to_owned()
    }
}

impl Advice {
    /// One of several.
    pub fn any_of(remedies: impl IntoIterator<Item = Advice>) -> Self {
        Advice::AnyOf(remedies.into_iter().collect())
    }

    /// Use an option with a value.
    pub const fn set(option: &'static str, value: &'static str) -> Self {
        Advice::Set { option, value, to: "" }
    }

    /// The advice in the words of a front end.
    pub fn worded(&self, wording: &dyn Wording) -> String {
        match self {
            Advice::Words(words) => words.clone(),
            Advice::Set { option, value, to: "" } => format!("use {}", wording.option(option, value)),
            Advice::Set { option, value, to } => format!("{to} ({})", wording.option(option, value)),
            Advice::PenaliseWith { l2 } => format!("use a penalty ({})", wording.penalty(*l2)),
            Advice::LeaveOut(columns) => {
                let which = columns.iter().map(|column| format!("`{}`", super::visible(column))).collect::<Vec<_>>().join(", ");
                let how = wording.leave_out().map_or(String::new(), |how| format!(" ({how})"));
                format!("leave {} out{how}", if columns.is_empty() { "the column" } else { &which })
            }
            Advice::ChangeKind => format!("change its kind ({})", wording.option("kind", "")),
            Advice::UseModel { name, why: "" } => format!("use {}", wording.model(name)),
            Advice::UseModel { name, why } => format!("use {}, {why}", wording.model(name)),
            Advice::AnyOf(remedies) => {
                let worded: Vec<String> = remedies.iter().map(|remedy| remedy.worded(wording)).collect();
                match worded.split_last() {
                    Some((last, [])) => last.clone(),
                    Some((last, others)) => format!("{}, or {last}", others.join(", ")),
                    None => String::new(),
                }
            }
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.worded(&Plain))
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        Advice::Words(words.to_owned())
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        Advice::Words(words)
    }
}

/// A text that mentions options as `{name}` or `{name=value}`, in the words of a front end.
pub fn worded_text(text: &str, wording: &dyn Wording) -> String {
    let mut words = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((option, following)) = after.split_once('}') else { break };
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        words.push_str(before);
        words.push_str(&wording.option(name, value));
        rest = following;
    }
    words.push_str(rest);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Flags;

    impl Wording for Flags {
        fn option(&self, name: &str, value: &str) -> String {
            format!("<{name} {value}>")
        }

        fn model(&self, name: &str) -> String {
            format!("<model {name}>")
        }

        fn leave_out(&self) -> Option<String> {
            Some("<exclude>".into())
        }
    }

    #[test]
    fn a_front_end_has_its_own_words() {
        let firth = Advice::Set { option: "on-separation", value: "firth", to: "use Firth's penalised likelihood" };
        let advice = Advice::any_of([firth, Advice::PenaliseWith { l2: 1.0 }, Advice::LeaveOut(vec!["a".into(), "b".into()])]);
        assert_eq!(
            advice.to_string(),
            "use Firth's penalised likelihood (on-separation=firth), use a penalty (l2=1), or leave `a`, `b` out"
        );
        let flags = "use Firth's penalised likelihood (<on-separation firth>), use a penalty (<l2 1>), or leave `a`, `b` out (<exclude>)";
        assert_eq!(advice.worded(&Flags), flags);
        assert_eq!(Advice::UseModel { name: "nb", why: "which takes every kind" }.worded(&Flags), "use <model nb>, which takes every kind");
    }

    #[test]
    fn texts_mention_options() {
        assert_eq!(worded_text("say {kind=number} or {kind}.", &Plain), "say kind=number or kind.");
        assert_eq!(worded_text("nothing { to say", &Plain), "nothing { to say");
    }
}
