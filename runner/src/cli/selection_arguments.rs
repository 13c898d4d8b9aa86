use clap::Args;

use crate::plan::Selection;

/// Which cases of a scenario to take.
#[derive(Debug, Clone, Args)]
pub(super) struct SelectionArguments {
    /// Take only cases whose id or test name matches; repeatable, any match counts
    ///
    /// `*` stands for any text, `?` for one character, `{a,b}` for either. An id that is given literally always
    /// matches, brackets included: --only 'window sweep [window=64K]'
    #[arg(long, value_name = "GLOB")]
    only: Vec<String>,

    /// Take only cases that have this tag; repeatable, any tag counts
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,

    /// Leave out cases that have this tag; repeatable
    #[arg(long, value_name = "TAG")]
    skip_tag: Vec<String>,
}

impl SelectionArguments {
    pub(super) fn selection(&self) -> Selection {
        Selection::new(self.only.clone(), self.tag.clone(), self.skip_tag.clone())
    }
}
