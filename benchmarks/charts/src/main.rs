//! Draws the standard table of the benchmark as bars: a picture for light pages and one for dark ones.
//!
//! Lines on standard input are direction, size of the message, contender and what was measured of it in MB/s, the
//! median, the least and the most, with tabulators between; without numbers the contender was not there. The pictures
//! go to the directory that is the argument.

mod chart;

use std::error::Error;
use std::io::{read_to_string, stdin};
use std::path::Path;

use chart::{Bar, Chart, DARK, LIGHT, Speed};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = std::env::args().nth(1).ok_or("usage: charts DIRECTORY <MEASURED")?;
    let chart = chart(&read_to_string(stdin())?)?;
    for (colours, file) in [(&LIGHT, "chart-light.svg"), (&DARK, "chart-dark.svg")] {
        let file = Path::new(&directory).join(file);
        std::fs::write(&file, chart.svg(colours)?).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

/// The chart of such lines.
fn chart(lines: &str) -> Result<Chart, String> {
    let mut chart = Chart::default();
    for line in lines.lines() {
        let (direction, size, bar) = measured(line).ok_or_else(|| format!("what is {line:?}?"))?;
        chart.add(direction, size, bar);
    }
    Ok(chart)
}

/// Direction, size and bar of a line.
fn measured(line: &str) -> Option<(&str, &str, Bar)> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [direction, size, contender, ref numbers @ ..] = columns[..] else {
        return None;
    };
    let numbers: Vec<f64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>().ok()?;
    let speed = match numbers[..] {
        [] => None,
        [median, least, most] => Some(Speed { median, least, most }),
        _ => return None,
    };
    Some((direction, size, Bar { contender: contender.into(), speed }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "serialize\tsmall\tone\t300.4\t200\t400\nserialize\tsmall\ttwo\t100\t90\t110\n\
        serialize\tlarge\tone\t1050\t1050\t1050\nserialize\tlarge\ttwo\ndeserialize\tsmall\tone\t50\t50\t50\n";

    /// The widths of the bars that are drawn.
    fn widths(svg: &str) -> Vec<u32> {
        let bars = svg.split("<rect ").skip(1);
        bars.map(|bar| bar.split("width=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap().parse().unwrap())
            .collect()
    }

    #[test]
    fn bars_are_as_long_as_what_was_measured_on_one_scale() {
        let widths = widths(&chart(LINES).unwrap().svg(&LIGHT).unwrap());
        let [first, second, third, fourth] = widths[..] else { panic!("{widths:?}") };
        for (width, speed) in [(second, 100.0), (third, 1050.0), (fourth, 50.0)] {
            let expected = f64::from(first) * speed / 300.4;
            assert!((f64::from(width) - expected).abs() <= 1.0, "{width} is not {expected}");
        }
    }

    #[test]
    fn what_was_not_there_is_absent() {
        let svg = chart(LINES).unwrap().svg(&DARK).unwrap();
        assert_eq!(svg.matches("absent").count(), 1);
        assert_eq!(svg.matches("<rect ").count(), 4);
    }

    #[test]
    fn names_stand_once_and_numbers_are_the_medians() {
        let svg = chart(LINES).unwrap().svg(&LIGHT).unwrap();
        let texts: Vec<&str> = svg.lines().map(str::trim).filter(|line| !line.starts_with('<')).collect();
        for (text, times) in
            [("one", 2), ("two", 2), ("300", 1), ("100", 1), ("1,050", 1), ("50", 1), ("small message", 2)]
        {
            assert_eq!(texts.iter().filter(|line| **line == text).count(), times, "{text} in {texts:?}");
        }
    }

    #[test]
    fn lines_that_are_none_are_refused() {
        for line in ["", "serialize\tsmall", "serialize\tsmall\tone\t1", "serialize\tsmall\tone\t1\t2\tx"] {
            assert!(measured(line).is_none(), "{line:?}");
        }
    }
}
