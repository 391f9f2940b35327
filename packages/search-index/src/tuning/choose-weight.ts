import { mean, randomisationTest } from './metrics.ts';

/** What a query made of a note showed. */
export interface TuningQuery {
  /** Queries of one note are in the same half: one half to choose a weight by, the other to check it on. */
  readonly half: 'choose' | 'check';
  /** The reciprocal rank of the note under each weight. */
  readonly ranks: readonly number[];
}

/** A weight, with the mean reciprocal rank of the right note in each half. */
export interface WeightQuality {
  readonly weight: number;
  readonly choose: number;
  readonly check: number;
}

export interface ChosenWeight {
  readonly weight: number;
  /** Ascending; 0 stands for the words alone. */
  readonly qualities: readonly WeightQuality[];
  /**
   * The best weight above the default in the first half, where there is one, and the probability that its lead in the
   * other half is chance; null where no higher weight leads in both halves.
   */
  readonly higher: { readonly weight: number; readonly p: number } | null;
}

/** Leads with a higher probability to be chance do not count. */
export const MAX_P = 0.05;
/** Differences of means below this are rounding. */
const TOLERANCE = 1e-9;

/**
 * Chooses how much the score by vectors counts. A lower weight than the default is taken as soon as it is better in one
 * half of the queries and no worse in the other; a higher one only if it also leads in the other half beyond chance.
 * No weight is taken with which search is worse than by words alone.
 *
 * @param weights ascending, from 0, with the default among them.
 */
export function chooseWeight(
  weights: readonly number[],
  defaultWeight: number,
  queries: readonly TuningQuery[],
): ChosenWeight {
  const halves = Map.groupBy(queries, ({ half }) => half);
  const valuesOf = (half: TuningQuery['half'], weight: number) =>
    (halves.get(half) ?? []).map(({ ranks }) => ranks[weights.indexOf(weight)] ?? 0);
  const qualities = weights.map((weight) => ({
    weight,
    choose: mean(valuesOf('choose', weight)),
    check: mean(valuesOf('check', weight)),
  }));
  const qualityOf = (weight: number) => qualities.find((own) => own.weight === weight) ?? NO_QUALITY;
  const standard = qualityOf(defaultWeight);

  const lower = bestOf(qualities.filter(({ weight }) => weight <= defaultWeight).reverse());
  const start = lower.check >= standard.check - TOLERANCE ? lower : standard;
  const best = bestOf([start, ...qualities.filter(({ weight }) => weight > defaultWeight)]);
  const leads = best !== start && best.check > start.check + TOLERANCE;
  const p = leads ? randomisationTest(valuesOf('check', best.weight), valuesOf('check', start.weight)) : 1;
  const chosen = leads && p < MAX_P ? best : start;

  const isWorseThanWords = meanOfAll(queries, weights.indexOf(chosen.weight)) < meanOfAll(queries, 0) - TOLERANCE;
  const weight = isWorseThanWords ? 0 : chosen.weight;
  return { weight, qualities, higher: leads ? { weight: best.weight, p } : null };
}

const NO_QUALITY: WeightQuality = { weight: 0, choose: 0, check: 0 };

/** The quality that is best in the half to choose by; of equal ones the first. */
function bestOf(qualities: readonly WeightQuality[]): WeightQuality {
  return qualities.reduce(
    (best, own) => (own.choose > best.choose + TOLERANCE ? own : best),
    qualities[0] ?? NO_QUALITY,
  );
}

function meanOfAll(queries: readonly TuningQuery[], at: number): number {
  return mean(queries.map(({ ranks }) => ranks[at] ?? 0));
}
