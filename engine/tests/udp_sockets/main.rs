//! UDP clients and servers on sockets of this host.

mod both_ends;
mod events;
mod full_duplex;
mod hand_made_clients;
mod hand_made_servers;
mod marks;
