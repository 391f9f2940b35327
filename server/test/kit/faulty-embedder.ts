import { builtinEmbedder } from '../../src/ports/embedder/builtin.ts';
import { type Embedder, EmbedderError, type Space } from '../../src/ports/embedder/embedder.ts';

/** The builtin embedder under another name and as if it were a configured model, with injected failures. */
export interface Faulty extends Embedder {
  id: string;
  /** Thrown by the next calls, one per call. */
  readonly faults: EmbedderError[];
  /** A text that is refused, alone or among others. */
  poison: string | null;
  /** How many passages were embedded. */
  made: number;
}

/** An embedder that works until it is told not to. */
export function faulty(id: string): Faulty {
  const inner = builtinEmbedder();
  const { signal } = new AbortController();
  const spaceOf = async (): Promise<Space> => ({ ...(await inner.space(signal)), id: own.id });
  const fail = () => {
    const fault = own.faults.shift();
    if (fault !== undefined) throw fault;
  };
  const own: Faulty = {
    ...inner,
    onDemand: false,
    id,
    faults: [],
    poison: null,
    made: 0,
    space: spaceOf,
    async embedPassages(passages, given) {
      fail();
      const { poison } = own;
      if (poison !== null && passages.some(({ text }) => text.includes(poison)))
        throw new EmbedderError('refused', 'too odd');
      own.made += passages.length;
      return inner.embedPassages(passages, given);
    },
    async embedQuery(query, options) {
      fail();
      return inner.embedQuery(query, options);
    },
  };
  return own;
}
