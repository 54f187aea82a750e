//! The chart: bars side by side for the directions, one below the other for the contenders, in groups by size of
//! message.

use plotters::element::{PathElement, Rectangle, Text};
use plotters::prelude::{
    DrawingArea, FontStyle, IntoDrawingArea, IntoFont, RGBColor, SVGBackend, ShapeStyle, TextStyle,
};
use plotters::style::Color;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;

/// All that was measured.
#[derive(Default)]
pub struct Chart {
    panels: Vec<Panel>,
}

/// One direction.
struct Panel {
    direction: String,
    groups: Vec<Group>,
}

/// One size of message.
struct Group {
    size: String,
    bars: Vec<Bar>,
}

/// One contender, the first of which is this library.
pub struct Bar {
    /// Its name.
    pub contender: String,
    /// Nothing if it was not there.
    pub speed: Option<Speed>,
}

/// MB/s.
pub struct Speed {
    /// What the bar shows.
    pub median: f64,
    /// Where the line over its end begins.
    pub least: f64,
    /// Where that line ends.
    pub most: f64,
}

/// What is drawn on a page of one brightness. There is no background, so that it is the page's own. The two colours of
/// bars differ in brightness too, for those who cannot tell them by colour.
pub struct Colours {
    text: RGBColor,
    faint: RGBColor,
    own: RGBColor,
    peer: RGBColor,
}

/// For a white page.
pub const LIGHT: Colours = Colours {
    text: RGBColor(31, 35, 40),
    faint: RGBColor(89, 99, 110),
    own: RGBColor(59, 130, 214),
    peer: RGBColor(175, 182, 190),
};

/// For a nearly black page.
pub const DARK: Colours = Colours {
    text: RGBColor(240, 246, 252),
    faint: RGBColor(157, 166, 176),
    own: RGBColor(68, 147, 224),
    peer: RGBColor(82, 90, 100),
};

const WIDTH: i32 = 800;
/// plotters makes letters smaller than that by a fifth.
const LARGE: u32 = 21;
const MIDDLE: u32 = 17;
const TITLE: i32 = 34;
const SUBTITLE: i32 = 30;
const HEADING: i32 = 36;
const ROW: i32 = 26;
const BAR: i32 = 18;
const MARGIN: i32 = 8;
/// Where names end, and where the bars of the first direction begin.
const NAMES: i32 = 120;
const FIRST: i32 = 130;
/// What is left for a number behind the longest bar, and for the gap before the next direction.
const NUMBER: i32 = 72;

type Drawn = Result<(), Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

impl Chart {
    /// Adds a bar behind those that are there.
    pub fn add(&mut self, direction: &str, size: &str, bar: Bar) {
        let panel = found(
            &mut self.panels,
            |panel| panel.direction == direction,
            || Panel { direction: direction.into(), groups: Vec::new() },
        );
        let group =
            found(&mut panel.groups, |group| group.size == size, || Group { size: size.into(), bars: Vec::new() });
        group.bars.push(bar);
    }

    /// The chart as SVG.
    pub fn svg(&self, colours: &Colours) -> Result<String, Box<dyn Error>> {
        let mut svg = String::new();
        let bodies = self.panels.iter().map(|panel| panel.groups.iter().map(Group::height).sum());
        let height = TITLE + SUBTITLE + HEADING + bodies.max().unwrap_or(0) + MARGIN;
        {
            let area = SVGBackend::with_string(&mut svg, (WIDTH as u32, height as u32)).into_drawing_area();
            let page = Page { area, colours };
            page.write("Throughput, MB/s of encoded bytes", LARGE, true, (0, TITLE / 2), HPos::Left)?;
            let line = "More is better. A thin line reaches from the slowest to the fastest round.";
            page.write_faint(line, (0, TITLE + SUBTITLE / 2 - 4), HPos::Left)?;
            let width = (WIDTH - FIRST) / self.panels.len().max(1) as i32;
            for (number, panel) in self.panels.iter().enumerate() {
                let left = FIRST + number as i32 * width;
                page.panel(panel, number == 0, left, f64::from(width - NUMBER) / self.most())?;
            }
            page.area.present()?;
        }
        Ok(svg)
    }

    /// The largest number, so that all bars have one scale.
    fn most(&self) -> f64 {
        let bars = self.panels.iter().flat_map(|panel| &panel.groups).flat_map(|group| &group.bars);
        bars.filter_map(|bar| bar.speed.as_ref()).map(|speed| speed.most).fold(1.0, f64::max)
    }
}

impl Group {
    fn height(&self) -> i32 {
        HEADING + ROW * self.bars.len() as i32
    }
}

/// The one that is meant, behind the others if it is not yet there.
fn found<T>(all: &mut Vec<T>, meant: impl Fn(&T) -> bool, new: impl Fn() -> T) -> &mut T {
    let place = all.iter().position(meant).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[place]
}

/// Written as in the table.
fn grouped(speed: f64) -> String {
    match speed.round() as u64 {
        whole @ 0..1000 => whole.to_string(),
        whole => format!("{},{:03}", whole / 1000, whole % 1000),
    }
}

struct Page<'a> {
    area: Area<'a>,
    colours: &'a Colours,
}

impl Page<'_> {
    /// The names stand at the first one only. A unit of speed is so many pixels wide.
    fn panel(&self, panel: &Panel, first: bool, left: i32, scale: f64) -> Drawn {
        let mut top = TITLE + SUBTITLE;
        self.write(&panel.direction, MIDDLE, true, (left, top + HEADING / 2), HPos::Left)?;
        top += HEADING;
        for group in &panel.groups {
            self.write_faint(&format!("{} message", group.size), (left, top + HEADING - 12), HPos::Left)?;
            top += HEADING;
            for (number, bar) in group.bars.iter().enumerate() {
                let middle = top + ROW / 2;
                if first {
                    self.write(&bar.contender, MIDDLE, number == 0, (NAMES, middle), HPos::Right)?;
                }
                self.bar(bar, number == 0, (left, middle), scale)?;
                top += ROW;
            }
        }
        Ok(())
    }

    fn bar(&self, bar: &Bar, own: bool, (left, middle): (i32, i32), scale: f64) -> Drawn {
        let Some(speed) = &bar.speed else {
            return self.write_faint("absent", (left, middle), HPos::Left);
        };
        let x = |speed: f64| left + (speed * scale).round() as i32;
        let colour = if own { self.colours.own } else { self.colours.peer };
        let corners = [(left, middle - BAR / 2), (x(speed.median), middle + BAR / 2)];
        self.area.draw(&Rectangle::new(corners, colour.filled()))?;
        let line = ShapeStyle::from(self.colours.text).stroke_width(2);
        let (least, most) = (x(speed.least), x(speed.most));
        self.area.draw(&PathElement::new(vec![(least, middle), (most, middle)], line))?;
        let text = grouped(speed.median);
        self.write(&text, MIDDLE, own, (most.max(x(speed.median)) + 8, middle), HPos::Left)
    }

    fn write_faint(&self, text: &str, place: (i32, i32), anchor: HPos) -> Drawn {
        self.text(text, MIDDLE - 1, FontStyle::Normal, self.colours.faint, place, anchor)
    }

    fn write(&self, text: &str, size: u32, bold: bool, place: (i32, i32), anchor: HPos) -> Drawn {
        let style = if bold { FontStyle::Bold } else { FontStyle::Normal };
        self.text(text, size, style, self.colours.text, place, anchor)
    }

    /// Writes text at its middle height.
    fn text(
        &self,
        text: &str,
        size: u32,
        style: FontStyle,
        colour: RGBColor,
        place: (i32, i32),
        anchor: HPos,
    ) -> Drawn {
        let font = ("sans-serif", size).into_font().style(style);
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(anchor, VPos::Center));
        Ok(self.area.draw(&Text::new(text.to_string(), place, style))?)
    }
}
