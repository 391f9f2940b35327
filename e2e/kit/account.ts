import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Invitation, InvitationMade, MembersResponse } from '@notevault/protocol/members.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { nameOfStars } from '../../web/src/data/stars-in.ts';

/** An account of a test, used over the API beside the browser. */
export class Account {
  readonly url: string;
  readonly email: string;
  readonly vault: VaultClient;
  readonly #transport: Transport;

  private constructor(url: string, email: string, vault: VaultClient, transport: Transport) {
    this.url = url;
    this.#transport = transport;
    this.email = email;
    this.vault = vault;
  }

  /** @param token an access token of the account. */
  static async withVault(url: string, email: string, token: string, name = 'Notes'): Promise<Account> {
    const transport = new Transport(url, fixedToken(token));
    const client = new NotevaultClient(transport);
    const { id } = await client.createVault(name);
    return new Account(url, email, client.vault(id), transport);
  }

  write(path: string, content = ''): Promise<Note> {
    return this.vault.upsertNote({ path, content, mtime: Date.now() / 1000 });
  }

  /** Stars notes of the vault, and no others. */
  async star(...notes: string[]): Promise<void> {
    const json = { [nameOfStars(this.vault.id)]: notes };
    await this.#transport.json({ method: 'PATCH', path: '/me/preferences', json });
  }

  /** Begins an upload in slices of which nothing arrives. */
  async beginUpload(path: string, length: number): Promise<void> {
    const metadata = `path ${Buffer.from(path).toString('base64')}`;
    const headers = { 'tus-resumable': '1.0.0', 'upload-length': `${length}`, 'upload-metadata': metadata };
    await this.#transport.send({ method: 'POST', path: '/uploads', headers, vault: this.vault.id });
  }

  /** Invites to the vault; resolves to the address that is sent. */
  async invite(role: Invitation['role'], more: object = {}): Promise<string> {
    const path = `/vaults/${this.vault.id}/invitations`;
    return (await this.#transport.json<InvitationMade>({ method: 'POST', path, json: { role, ...more } })).url;
  }

  /** Makes another account a member of the vault. */
  async shareWith(other: Account, role: Invitation['role']): Promise<void> {
    const [, token] = (await this.invite(role)).split('#');
    await other.#transport.json({ method: 'POST', path: `/invitations/${token}/accept` });
  }

  /** The vault of another account, of which this one is a member. */
  inVaultOf(other: Account): VaultClient {
    return new NotevaultClient(this.#transport).vault(other.vault.id);
  }

  /** Changes the role of a member; without one, removes them. */
  async setRole(name: string, role?: 'viewer' | 'editor' | 'owner'): Promise<void> {
    const path = `/vaults/${this.vault.id}/members`;
    const { members } = await this.#transport.json<MembersResponse>({ method: 'GET', path });
    const id = members.find(({ display_name }) => display_name === name)?.user_id;
    if (role === undefined) await this.#transport.send({ method: 'DELETE', path: `${path}/${id}` });
    else await this.#transport.json({ method: 'PATCH', path: `${path}/${id}`, json: { role } });
  }

  /** The address of a page of the vault. */
  page(path = ''): string {
    return `${this.url}/vaults/${this.vault.id}${path}`;
  }
}
