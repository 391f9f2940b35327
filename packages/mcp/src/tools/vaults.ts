import { operations } from '@notevault/protocol/operations.ts';
import { vaultLine } from '../choose-vault.ts';
import { DATA_NOTICE, data } from '../text/answer.ts';
import { tool } from '../tool.ts';
import { input } from './fields.ts';

export const listVaults = tool({
  name: 'list_vaults',
  title: 'List vaults',
  description: 'List the vaults that you can access, with their ids, whose they are, and whether you may write.',
  input: input({}),
  rule: operations.listVaults,
  async run(_input, { vaults }) {
    const all = await vaults();
    const structured = {
      notice: DATA_NOTICE,
      vaults: all.map(({ id, name, access, note_count: notes, role, owner }) => ({
        ...{ id, name, access: access ?? null, notes },
        ...(role === undefined || role === 'owner' ? {} : { shared_by: owner?.display_name ?? null }),
      })),
    };
    const parts = all.length === 0 ? ['No vault is accessible.'] : [data(all.map(vaultLine).join('\n'))];
    return { parts, structured };
  },
});
