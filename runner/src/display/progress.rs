use std::io::{self, Write};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use linerate_schema::results::ScenarioSummary;

use super::{CaseLines, Detail, FlowBoard, Painter, Reader, Surface};
use crate::event::{RunEvent, RunEventKind};

/// How progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressStyle {
    /// Not at all.
    Silent,
    /// As lines that stay.
    Lines(Detail),
    /// As lines that stay, and below them what is happening now, redrawn in place.
    Live(Detail),
}

/// Shows run events on standard error.
pub struct Progress {
    screen: Screen,
    lines: CaseLines,
    board: FlowBoard,
}

enum Screen {
    Silent,
    Lines(Box<dyn Write + Send>),
    Live(LiveArea),
}

/// The redrawn lines: one for the case, one for each of its flows.
struct LiveArea {
    area: MultiProgress,
    case: Option<ProgressBar>,
    flows: Vec<ProgressBar>,
}

/// Most flows that have a line of their own; more would not fit on a screen.
const LIVE_FLOWS: usize = 12;

/// How often the elapsed time is redrawn.
const REDRAW: Duration = Duration::from_millis(200);

impl Progress {
    /// Progress on standard error; a live area only where `surface` has somebody to look at it.
    #[must_use]
    pub fn on_stderr(style: ProgressStyle, surface: Surface) -> Self {
        let (screen, detail) = match (style, surface.reader) {
            (ProgressStyle::Silent, _) => (Screen::Silent, Detail::Cases),
            (ProgressStyle::Live(detail), Reader::Terminal) => {
                let area = MultiProgress::with_draw_target(ProgressDrawTarget::stderr());
                (Screen::Live(LiveArea { area, case: None, flows: Vec::new() }), detail)
            }
            (ProgressStyle::Lines(detail) | ProgressStyle::Live(detail), _) => {
                (Screen::Lines(Box::new(io::stderr())), detail)
            }
        };
        Self {
            screen,
            lines: CaseLines::new(Painter::new(surface), detail),
            board: FlowBoard::default(),
        }
    }

    /// Shows an event. What cannot be written is lost: progress never stops a run.
    pub fn show(&mut self, event: &RunEvent) {
        let ended = self.board.apply(event);
        if let Screen::Live(live) = &mut self.screen {
            live.update(event, &self.board, &self.lines);
        }
        for line in self.lines.of(event, &ended) {
            self.line(&line);
        }
    }

    /// Says which of several scenarios begins.
    pub fn heading(&mut self, scenario: &ScenarioSummary) {
        let line = self.lines.heading(scenario);
        self.line(&line);
    }

    /// A remark that is no event of the run.
    pub fn note(&mut self, text: &str) {
        self.line(text);
    }

    fn line(&mut self, line: &str) {
        match &mut self.screen {
            Screen::Silent => {}
            Screen::Lines(writer) => {
                let _ = writeln!(writer, "{line}");
            }
            Screen::Live(live) => {
                let _ = live.area.println(line);
            }
        }
    }
}

impl LiveArea {
    fn update(&mut self, event: &RunEvent, board: &FlowBoard, lines: &CaseLines) {
        match &event.kind {
            RunEventKind::CaseStarted { id, expected, .. } => {
                self.clear();
                self.case = Some(self.area.add(case_bar(id, *expected)));
            }
            RunEventKind::FlowStarted { .. } | RunEventKind::Interval { .. } => {
                while self.flows.len() < board.flows().len().min(LIVE_FLOWS) {
                    let bar = ProgressBar::new_spinner().with_style(style("{msg}"));
                    self.flows.push(self.area.add(bar));
                }
                for (bar, gauge) in self.flows.iter().zip(board.flows()) {
                    bar.set_message(lines.live(gauge));
                }
            }
            RunEventKind::CaseFinished { .. } | RunEventKind::RunFinished { .. } => self.clear(),
            RunEventKind::RunStarted { .. } => {}
        }
    }

    fn clear(&mut self) {
        for bar in self.flows.drain(..).chain(self.case.take()) {
            bar.finish_and_clear();
            self.area.remove(&bar);
        }
    }
}

impl Drop for LiveArea {
    fn drop(&mut self) {
        self.clear();
    }
}

fn case_bar(id: &str, expected: Option<Duration>) -> ProgressBar {
    let template = match expected {
        Some(_) => "{spinner} {msg}  {elapsed} of {prefix}",
        None => "{spinner} {msg}  {elapsed}",
    };
    let bar = ProgressBar::new_spinner().with_style(style(template)).with_message(id.to_owned());
    if let Some(expected) = expected {
        bar.set_prefix(super::span_of_time::span_of_time(expected));
    }
    bar.enable_steady_tick(REDRAW);
    bar
}

fn style(template: &str) -> BarStyle {
    BarStyle::with_template(template).unwrap_or_else(|_| BarStyle::default_spinner())
}
