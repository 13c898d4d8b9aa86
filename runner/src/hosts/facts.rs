use std::fs;

use linerate_schema::results::HostFacts;

/// Facts of the machine that this process runs on, from `/proc`.
pub(super) fn of_this_machine() -> HostFacts {
    HostFacts {
        name: String::new(),
        kind: String::new(),
        address: None,
        hostname: line("/proc/sys/kernel/hostname"),
        kernel: kernel(),
        cpu: fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| cpu_model(&text)),
        cpus: std::thread::available_parallelism().ok().and_then(|n| u32::try_from(n.get()).ok()),
        memory_bytes: fs::read_to_string("/proc/meminfo").ok().and_then(|text| memory(&text)),
        tcp_congestion_control: line("/proc/sys/net/ipv4/tcp_congestion_control"),
        default_qdisc: line("/proc/sys/net/core/default_qdisc"),
        engine_version: Some(env!("CARGO_PKG_VERSION").to_owned()),
    }
}

fn kernel() -> Option<String> {
    let system = line("/proc/sys/kernel/ostype")?;
    Some(format!("{system} {}", line("/proc/sys/kernel/osrelease")?))
}

/// The first line of a file, trimmed; absent when there is none.
fn line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().next()?.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The model in `/proc/cpuinfo`; some architectures have none.
fn cpu_model(cpuinfo: &str) -> Option<String> {
    let model = field(cpuinfo, "model name").or_else(|| field(cpuinfo, "Model"))?;
    Some(model.to_owned())
}

/// The memory in `/proc/meminfo`, which is in units of 1024 bytes.
fn memory(meminfo: &str) -> Option<u64> {
    let kibibytes: u64 = field(meminfo, "MemTotal")?.strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

fn field<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let mut fields = text.lines().filter_map(|line| line.split_once(':'));
    fields.find(|(name, _)| name.trim() == key).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_and_memory_are_read_from_their_files() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Fast CPU @ 3.00GHz\n\nprocessor\t: 1\n";
        assert_eq!(cpu_model(cpuinfo).as_deref(), Some("Fast CPU @ 3.00GHz"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        assert_eq!(memory("MemTotal:       16315180 kB\nMemFree: 1 kB\n"), Some(16_706_744_320));
        assert_eq!(memory("MemTotal: many kB\n"), None);
    }
}
