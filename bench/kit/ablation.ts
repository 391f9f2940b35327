import { WEIGHTS } from '@notevault/search-index/query/query-expansion.ts';
import { PARAMETERS } from '@notevault/search-index/ranking/bm25f.ts';

type Constants = typeof PARAMETERS & typeof WEIGHTS;

/** Ranking features by name, with the constants that turn each off. */
const MENDS: Readonly<Record<string, Partial<Constants>>> = {
  'inflected forms': { stem: 0 },
  'affixes of Arabic, Hebrew, Korean': { affix: 0 },
  compounds: { compound: 0 },
  'words inside words without spaces': { substring: 0 },
  'own spelling first': { accents: 1 },
  'function words count little': { functionWord: 1 },
  'worse forms score less': { quality: 0 },
  'all words of the query': { coverage: 0 },
  neighbours: { proximity: 0 },
  'best section': { chunk: 0 },
  'whole title and its beginning': { wholeTitle: 0, titleStart: 0 },
  'unfinished last word': { completion: 0, titleStart: 0 },
  'words that begin with an unknown one': { prefix: 0 },
  'one typing error': { oneEdit: 0 },
  'two typing errors': { twoEdits: 0 },
};

/** Runs `measure` with everything, then without each mend in turn. The constants are as before afterwards. */
export async function withoutEach<Result>(measure: () => Promise<Result>): Promise<Map<string, Result>> {
  const results = new Map([['nothing', await measure()]]);
  for (const [name, neutral] of Object.entries(MENDS)) {
    const before = [{ ...PARAMETERS }, { ...WEIGHTS }] as const;
    assignKnown(PARAMETERS, neutral);
    assignKnown(WEIGHTS, neutral);
    try {
      results.set(name, await measure());
    } finally {
      Object.assign(PARAMETERS, before[0]);
      Object.assign(WEIGHTS, before[1]);
    }
  }
  return results;
}

function assignKnown(constants: Record<string, number>, values: Record<string, number>): void {
  for (const [name, value] of Object.entries(values)) if (name in constants) constants[name] = value;
}
