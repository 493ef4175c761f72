//! Text for LaTeX in ASCII alone, so that plain pdflatex sets it whatever the encoding of the document.

use crate::escape::printable;

/// Signs that people write, and how LaTeX writes them.
const SIGNS: [(char, &str); 47] = [
    ('\\', "\\textbackslash{}"),
    ('~', "\\textasciitilde{}"),
    ('^', "\\textasciicircum{}"),
    ('"', "''"),
    // After the end of a row a bracket would be taken for its argument.
    ('[', "{[}"),
    (']', "{]}"),
    ('*', "{*}"),
    ('<', "$<$"),
    ('>', "$>$"),
    ('|', "$|$"),
    ('–', "--"),
    ('—', "---"),
    ('−', "$-$"),
    ('×', "$\\times$"),
    ('·', "$\\cdot$"),
    ('±', "$\\pm$"),
    ('∞', "$\\infty$"),
    ('…', "\\ldots{}"),
    ('→', "$\\rightarrow$"),
    ('≤', "$\\leq$"),
    ('≥', "$\\geq$"),
    ('≠', "$\\neq$"),
    ('≈', "$\\approx$"),
    ('√', "$\\surd$"),
    ('∑', "$\\sum$"),
    ('½', "$\\frac{1}{2}$"),
    ('°', "$^{\\circ}$"),
    ('¹', "$^{1}$"),
    ('²', "$^{2}$"),
    ('³', "$^{3}$"),
    ('‘', "`"),
    ('’', "'"),
    ('“', "``"),
    ('”', "''"),
    ('«', "``"),
    ('»', "''"),
    ('ß', "{\\ss}"),
    ('æ', "{\\ae}"),
    ('Æ', "{\\AE}"),
    ('ø', "{\\o}"),
    ('Ø', "{\\O}"),
    ('œ', "{\\oe}"),
    ('Œ', "{\\OE}"),
    ('ł', "{\\l}"),
    ('Ł', "{\\L}"),
    ('µ', "$\\mu$"),
    ('\u{a0}', "~"),
];

/// Greek letters that have a command.
const GREEK: [(char, &str); 34] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "varsigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "varphi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
];

/// Accents: LaTeX's command, the letters below it, and the letters with it, in the same order.
const ACCENTS: [(&str, &str, &str); 9] = [
    ("\\`", "AEIOUaeiou", "ÀÈÌÒÙàèìòù"),
    ("\\'", "AEIOUYaeiouyCNSZcnsz", "ÁÉÍÓÚÝáéíóúýĆŃŚŹćńśź"),
    ("\\^", "AEIOUaeiou", "ÂÊÎÔÛâêîôû"),
    ("\\~", "ANOano", "ÃÑÕãñõ"),
    ("\\\"", "AEIOUaeiouy", "ÄËÏÖÜäëïöüÿ"),
    ("\\r", "AaUu", "ÅåŮů"),
    ("\\c", "CcSs", "ÇçŞş"),
    ("\\v", "CcSsZzEeRrDdNn", "ČčŠšŽžĚěŘřĎďŇň"),
    ("\\.", "Zz", "Żż"),
];

/// A text inside a LaTeX document. Letters that plain LaTeX has no command for are named by their number.
pub(crate) fn latex(text: &str) -> String {
    let mut safe = String::new();
    for c in printable(text).chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => safe.extend(['\\', c]),
            c => match command(c) {
                Some(written) => safe.push_str(&written),
                None if matches!(c, '█'..='▏' | '░') => safe.push_str(&block(c)),
                None if c.is_ascii() => safe.push(c),
                None => safe.push_str(&format!("\\texttt{{U+{:04X}}}", c as u32)),
            },
        }
    }
    safe
}

/// A piece of a bar: as wide as its eighths, or low where it is drawn light.
fn block(c: char) -> String {
    match c {
        '░' => "\\rule{1ex}{0.4ex}".to_owned(),
        _ => format!("\\rule{{{}ex}}{{1.5ex}}", 0.125 * f64::from(0x2590 - c as u32)),
    }
}

fn command(c: char) -> Option<String> {
    let sign = SIGNS.iter().find(|(sign, _)| *sign == c).map(|(_, written)| (*written).to_owned());
    let greek = || GREEK.iter().find(|(letter, _)| *letter == c).map(|(_, name)| format!("$\\{name}$"));
    let accented = || {
        ACCENTS.iter().find_map(|(accent, plain, letters)| {
            let letter = plain.chars().nth(letters.chars().position(|letter| letter == c)?)?;
            Some(format!("{accent}{{{letter}}}"))
        })
    };
    sign.or_else(greek).or_else(accented)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_becomes_ascii() {
        assert_eq!(latex("50% of x_1 \\ {a}"), "50\\% of x\\_1 \\textbackslash{} \\{a\\}");
        assert_eq!(latex("Δ bits, χ² – λ · β"), "$\\Delta$ bits, $\\chi$$^{2}$ -- $\\lambda$ $\\cdot$ $\\beta$");
        assert_eq!(latex("größe in Ångström"), "gr\\\"{o}{\\ss}e in \\r{A}ngstr\\\"{o}m");
        assert_eq!(latex("█▌░"), "\\rule{1ex}{1.5ex}\\rule{0.5ex}{1.5ex}\\rule{1ex}{0.4ex}");
        assert_eq!(latex("年[1]"), "\\texttt{U+5E74}{[}1{]}");
        for c in (0..0x3000).filter_map(char::from_u32) {
            assert!(latex(&c.to_string()).is_ascii(), "{c:?}");
        }
    }

    #[test]
    fn letters_and_their_accents_stand_in_the_same_order() {
        assert!(ACCENTS.iter().all(|(_, plain, letters)| plain.chars().count() == letters.chars().count()));
    }
}
