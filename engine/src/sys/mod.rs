//! Raw system calls: the only place with unsafe code. One file per kernel feature, each behind a safe signature.
