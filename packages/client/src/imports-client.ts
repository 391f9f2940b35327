import type { Import, ImportStarted, Imports } from '@notevault/protocol/imports.ts';
import type { Ticket } from '@notevault/protocol/tickets.ts';
import type { Call, Transport } from './transport.ts';

/** Imports of archives, and exports of vaults; they need a session. All throw ApiError and ConnectionError. */
export class ImportsClient {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Uploads a zip of markdown or a Joplin export, which is then imported in the background; resolves to the id of the
   * import. A lost answer is not requested again: `list` shows whether it began.
   */
  async start(
    vaultId: string,
    archive: NonNullable<Call['bytes']>,
    { dryRun = false }: { readonly dryRun?: boolean } = {},
  ): Promise<string> {
    const { id } = await this.#transport.json<ImportStarted>({
      method: 'POST',
      path: '/imports',
      query: { vault_id: vaultId, dry_run: dryRun },
      headers: { 'content-type': 'application/octet-stream' },
      bytes: archive,
      repeatable: false,
    });
    return id;
  }

  /** Returns the import of the account, if there is one of the last day. */
  async list(): Promise<Import[]> {
    return (await this.#transport.json<Imports>({ method: 'GET', path: '/imports' })).imports;
  }

  async get(id: string): Promise<Import> {
    return this.#transport.json({ method: 'GET', path: `/imports/${encodeURIComponent(id)}` });
  }

  /** Imports what a dry run has reported. */
  async apply(id: string): Promise<void> {
    await this.#transport.json({
      method: 'POST',
      path: `/imports/${encodeURIComponent(id)}/apply`,
      json: {},
      repeatable: false,
    });
  }

  /** Ends an import; what it has written stays. */
  async cancel(id: string): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: `/imports/${encodeURIComponent(id)}` });
  }

  /** Returns an address from which a vault can be downloaded once, as a zip, within five minutes. */
  async exportUrl(vaultId: string): Promise<string> {
    const json = { operation: 'vault.export' };
    const { url } = await this.#transport.json<Ticket>({ method: 'POST', path: '/tickets', vault: vaultId, json });
    return url;
  }
}
