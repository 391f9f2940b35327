import type { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { operations } from '@notevault/protocol/operations.ts';
import type { Vault } from '@notevault/protocol/vaults.ts';
import { vaultLine } from '../choose-vault.ts';
import { inOrder, moreLine, pageOf } from '../paging.ts';
import { ADVICE_PATH, hasAdvice } from '../resources.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { cursor, input } from './fields.ts';

export const listVaults = tool({
  name: 'list_vaults',
  title: 'List vaults',
  description: 'List the vaults that you can access, with their ids, whose they are, and whether you may write.',
  input: input({ cursor }),
  rule: operations.listVaults,
  async run({ cursor: from }, { vaults, client }) {
    const page = pageOf(await vaults(), from, { keyOf: inOrder, lineOf: vaultLine, limit: PAGE });
    const all = page.items;
    const advised = await vaultsWithAdvice(client, all);
    const structured = {
      notice: DATA_NOTICE,
      cursor: page.next,
      vaults: all.map(({ id, name, access, note_count: notes, role, owner }) => ({
        ...{ id, name, access: access ?? null, notes, ...(advised.has(id) ? { agents_md: true } : {}) },
        ...(role === undefined || role === 'owner' ? {} : { shared_by: owner?.display_name ?? null }),
      })),
    };
    const parts = all.length === 0 ? ['No vault is accessible.'] : [data(page.lines.join('\n'))];
    const ids = [...advised].join(', ');
    const advice = advised.size === 0 ? [] : [`Read the note ${ADVICE_PATH} first; these vaults have one: ${ids}.`];
    return { parts: [...parts, ...advice, ...moreLine(page.next, page.left)], structured };
  },
});

const PAGE = 50;
/** Vaults that are searched for advice, maximum of each page. */
const LOOKED_INTO = 20;
const AT_ONCE = 4;

/** Returns the ids of the vaults that have advice for assistants, among the first 20. */
async function vaultsWithAdvice(client: NotevaultClient, all: readonly Vault[]): Promise<ReadonlySet<string>> {
  const ids = all.slice(0, LOOKED_INTO).map(({ id }) => id);
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const looked = ids.slice(at, at + AT_ONCE).map(async (id) => {
      if (await hasAdvice(client.vault(id))) found.add(id);
    });
    await Promise.all(looked);
  }
  return found;
}
