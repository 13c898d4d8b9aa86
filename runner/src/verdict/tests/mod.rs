mod cases;
mod fixtures;
mod honesty;
mod judging;
mod marks;
mod over_time;
mod streams;
mod uncertain;
