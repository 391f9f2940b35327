import { monitorEventLoopDelay } from 'node:perf_hooks';

type Labels = Readonly<Record<string, string | number>>;

/** Seconds, up to which durations are counted apart. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NANOSECONDS = 1e9;

/** What a process tells of itself, as Prometheus reads it (text format 0.0.4). Labels are words of ours and route patterns. */
export class Metrics implements Disposable {
  readonly #families: { name: string; type: string; help: string; lines: () => string[] }[] = [];
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  constructor() {
    this.#delay.enable();
    const quantile = (at: number) => this.#delay.percentile(at) / NANOSECONDS;
    this.gauge('nodejs_eventloop_lag_p50_seconds', 'Event loop delay since the last scrape, median', () =>
      quantile(50),
    );
    this.gauge('nodejs_eventloop_lag_p99_seconds', 'Event loop delay since the last scrape, 99th percentile', () =>
      quantile(99),
    );
    this.gauge('process_resident_memory_bytes', 'Resident memory of the process', () => process.memoryUsage.rss());
    this.gauge('nodejs_heap_size_used_bytes', 'Used V8 heap', () => process.memoryUsage().heapUsed);
    this.gauge(
      'nodejs_external_memory_bytes',
      'Memory of buffers and native parts',
      () => process.memoryUsage().external,
    );
    this.gauge('process_cpu_seconds_total', 'Processor time used', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    });
  }

  /** A number that is looked up when somebody asks. */
  gauge(name: string, help: string, read: () => number): void {
    this.#families.push({ name, help, type: 'gauge', lines: () => [`${name} ${read()}`] });
  }

  /** A number that only grows. */
  counter(name: string, help: string): (labels?: Labels) => void {
    const series = new Map<string, number>();
    this.#families.push({
      ...{ name, help, type: 'counter' },
      lines: () => [...series].map(([labels, value]) => `${name}${labels} ${value}`),
    });
    return (labels = {}) => {
      const key = labelled(labels);
      series.set(key, (series.get(key) ?? 0) + 1);
    };
  }

  /** Durations in seconds, counted by size. */
  histogram(name: string, help: string): (seconds: number, labels?: Labels) => void {
    const series = new Map<string, { labels: Labels; counts: number[]; sum: number; count: number }>();
    this.#families.push({
      ...{ name, help, type: 'histogram' },
      lines: () =>
        [...series.values()].flatMap(({ labels, counts, sum, count }) => [
          ...BUCKETS.map((le, index) => `${name}_bucket${labelled({ ...labels, le })} ${counts[index]}`),
          `${name}_bucket${labelled({ ...labels, le: '+Inf' })} ${count}`,
          `${name}_sum${labelled(labels)} ${sum}`,
          `${name}_count${labelled(labels)} ${count}`,
        ]),
    });
    return (seconds, labels = {}) => {
      const key = labelled(labels);
      const held = series.get(key) ?? { labels, counts: BUCKETS.map(() => 0), sum: 0, count: 0 };
      series.set(key, held);
      held.sum += seconds;
      held.count += 1;
      for (const [index, le] of BUCKETS.entries())
        if (seconds <= le) held.counts[index] = (held.counts[index] ?? 0) + 1;
    };
  }

  /** Everything, as it is now. */
  text(): string {
    const parts = this.#families.flatMap(({ name, type, help, lines }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...lines(),
    ]);
    this.#delay.reset();
    return `${parts.join('\n')}\n`;
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
