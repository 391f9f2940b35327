import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

type Labels<Name extends string> = Readonly<Record<Name, string | number>>;

/** Upper bounds of the histogram buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const NANOSECONDS = 1e9;

/** The metrics of a process, for Prometheus. Label values are fixed words and route patterns. */
export class Metrics implements Disposable {
  readonly #registry = new Registry();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });

  // `collectDefaultMetrics` has these too, but starts observers of the process that cannot be stopped.
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
    new Counter({
      name: 'process_cpu_seconds_total',
      help: 'Processor time used',
      registers: [this.#registry],
      collect() {
        const { user, system } = process.cpuUsage();
        this.reset();
        this.inc((user + system) / 1e6);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Registers a number that is read at each scrape. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }

  /** Registers a counter; returns its increment. @param series those that start at 0, not at their first event. */
  counter<Name extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Name[] = [],
    series: readonly Labels<Name>[] = [],
  ) {
    const counter = new Counter({ name, help, labelNames, registers: [this.#registry] });
    for (const labels of series) counter.inc(labels, 0);
    return (...[labels]: [Name] extends [never] ? [] : [Labels<Name>]) => {
      if (labels === undefined) counter.inc();
      else counter.inc(labels);
    };
  }

  /** Registers a counter of amounts. @returns a function that adds to it. */
  total(name: string, help: string): (amount: number) => void {
    const counter = new Counter({ name, help, registers: [this.#registry] });
    return (amount) => counter.inc(amount);
  }

  /** @returns a function that adds a duration in seconds to the series with these labels. */
  histogram<Name extends string>(name: string, help: string, labelNames: readonly Name[]) {
    const histogram = new Histogram({ name, help, labelNames, buckets: BUCKETS, registers: [this.#registry] });
    return (seconds: number, labels: Labels<Name>) => histogram.observe(labels, seconds);
  }

  /** All metrics in Prometheus' text format, without the empty lines between families. */
  async text(): Promise<string> {
    const text = await this.#registry.metrics();
    this.#delay.reset();
    return text.replaceAll('\n\n', '\n');
  }

  [Symbol.dispose](): void {
    this.#delay.disable();
  }
}
