mod bench;
fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(2).collect();
    bench::run(&args)
}
