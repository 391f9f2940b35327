import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { VaultClient } from '@notevault/client/vault-client.ts';
import type { Note } from '@notevault/protocol/notes.ts';

/** An account of a test, used over the API beside the browser. */
export class Account {
  readonly url: string;
  readonly email: string;
  readonly vault: VaultClient;

  private constructor(url: string, email: string, vault: VaultClient) {
    this.url = url;
    this.email = email;
    this.vault = vault;
  }

  /** @param token an access token of the account. */
  static async withVault(url: string, email: string, token: string, name = 'Notes'): Promise<Account> {
    const client = new NotevaultClient(new Transport(url, fixedToken(token)));
    const { id } = await client.createVault(name);
    return new Account(url, email, client.vault(id));
  }

  write(path: string, content = ''): Promise<Note> {
    return this.vault.upsertNote({ path, content, mtime: Date.now() / 1000 });
  }

  /** The address of a page of the vault. */
  page(path = ''): string {
    return `${this.url}/vaults/${this.vault.id}${path}`;
  }
}
