import type { SearchRequest, SearchResponse, SearchResult } from '@notevault/protocol/search.ts';
import { type Command, Option } from 'commander';
import { vaultCommand } from '../config-flags.ts';
import { printable } from '../print.ts';
import { type VaultsClient, vaultNamed, withVaults } from '../vaults-client.ts';

interface Flags extends Record<string, unknown> {
  readonly vault?: string;
  readonly mode: string;
  readonly limit: string;
  readonly json?: true;
}

export function searchCommand(): Command {
  return vaultCommand('search')
    .description('Search a vault; works while the server runs')
    .argument(
      '<query...>',
      'words, "exact phrases", +"required phrases", -word, #tag, tag:x, path:x, folder:x, title:x',
    )
    .addOption(new Option('--mode <mode>', 'how to search').choices(['keyword', 'vector', 'hybrid']).default('hybrid'))
    .option('--limit <number>', 'maximum number of results, 1 to 1000', '10')
    .option('--json', 'print the results as JSON, as the API returns them')
    .addHelpText('after', '\nExits with 0 even if nothing is found; --json then prints an empty list.')
    .action(async (query: string[], { vault: name, mode, limit, json, ...rest }: Flags) => {
      const wanted = Math.min(MAX_RESULTS, Math.max(1, Number.parseInt(limit, 10) || 1));
      const found = await withVaults(rest, async (client) => {
        const vault = await vaultNamed(client, name);
        const page = await searchPages(client, vault.id, { query: query.join(' '), mode }, wanted);
        return { ...page, vaultName: vault.name };
      });
      report(found, json === true);
    });
}

const PAGE = 50;
const MAX_RESULTS = 1000;

/** Reads pages of results until as many are there as are wanted. */
async function searchPages(
  client: VaultsClient,
  vault: string,
  request: SearchRequest,
  wanted: number,
): Promise<SearchResponse> {
  const results: SearchResult[] = [];
  for (let cursor: string | null = null; ; ) {
    const limit = Math.min(PAGE, wanted - results.length);
    const page: SearchResponse = await client.search(vault, { ...request, limit, cursor });
    results.push(...page.results);
    cursor = page.next_cursor;
    if (cursor === null || results.length >= wanted) return { ...page, results };
  }
}

function report({ results, relaxed, partial, vaultName }: SearchResponse & { vaultName: string }, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
    return;
  }
  const vault = `vault "${printable(vaultName)}"`;
  if (partial !== undefined) {
    const { indexed, total } = partial;
    process.stderr.write(`The index of the ${vault} is being built: ${indexed} of ${total} notes were searched.\n`);
  }
  if (results.length === 0) process.stderr.write(`No results in the ${vault}.\n`);
  else if (relaxed !== undefined) {
    const phrases = relaxed.map((phrase) => `"${printable(phrase)}"`).join(', ');
    process.stderr.write(`No note in the ${vault} contains ${phrases}. These notes contain its words:\n`);
  }
  process.stdout.write(results.map(shown).join('\n'));
}

function shown({ path, score, heading_path: heading, snippet, highlights }: SearchResult): string {
  const place = heading === '' ? '' : `  ${printable(heading)}`;
  return `${printable(path)}  ${score.toFixed(2)}${place}\n  ${marked(printable(snippet), highlights)}\n`;
}

/** Shows matches in bold, on a terminal. */
function marked(snippet: string, highlights: SearchResult['highlights']): string {
  if (!process.stdout.isTTY) return snippet;
  let text = '';
  let at = 0;
  for (const [start = 0, end = 0] of highlights) {
    text += `${snippet.slice(at, start)}\u001b[1m${snippet.slice(start, end)}\u001b[22m`;
    at = end;
  }
  return text + snippet.slice(at);
}
