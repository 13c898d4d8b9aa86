mod cases;
mod fixtures;
mod honesty;
mod judging;
mod over_time;
mod streams;
