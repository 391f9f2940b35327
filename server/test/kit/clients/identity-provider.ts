import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';
import type { Config } from '../../../src/config/config.ts';
import { Secret } from '../../../src/config/values.ts';
import { listen } from '../programs/free-port.ts';
import type { Browser, Met } from './oauth.ts';

export const CLIENT = { id: 'notevault', secret: 'a-secret-of-the-client' };
const SCOPES = 'openid email profile groups';

/** Claims of a person at the provider. */
export type PersonClaims = Readonly<Record<string, unknown>>;

/** A real OpenID Connect provider, at which everybody signs in as the person that the test names. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The options of a server that signs in by this provider. */
  readonly config: Partial<Config>;
  /** Names who signs in next, with their claims. */
  signsIn(subject: string, claims: PersonClaims): void;
  /** Follows an address of the provider until it sends the browser back; returns that address. */
  visit(url: string): Promise<string>;
}

export async function startProvider(redirectUri: string): Promise<TestProvider> {
  const people = new Map<string, PersonClaims>();
  let next = '';
  const http = createServer();
  const { url: issuer, ...listening } = await listen(http);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const client = { redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_post' } as const;
  const provider = new Provider(issuer, {
    clients: [
      { ...client, client_id: CLIENT.id, client_secret: CLIENT.secret },
      { ...client, client_id: 'other', client_secret: 'another-secret' },
    ],
    scopes: SCOPES.split(' '),
    claims: { email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    jwks: { keys: [privateKey.export({ format: 'jwk' }) as never] },
    cookies: { keys: ['a key of the provider'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ ...people.get(sub), sub }) }),
    async loadExistingGrant({ oidc }) {
      const { client: asking, session } = oidc;
      const names = { clientId: asking?.clientId ?? '', accountId: session?.accountId ?? '' };
      const grant = new provider.Grant(names);
      grant.addOIDCScope(SCOPES);
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  http.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    void provider.interactionFinished(request, response, { login: { accountId: next } });
  });
  const visit = visitor(issuer);
  return {
    ...listening,
    issuer,
    config: configFor(issuer),
    signsIn(subject, claims) {
      next = subject;
      people.set(subject, claims);
    },
    visit,
  };
}

/** The options of a server that signs in by an issuer. */
export function configFor(issuer: string): Partial<Config> {
  return {
    oidcIssuer: issuer,
    oidcClientId: CLIENT.id,
    oidcClientSecret: new Secret(CLIENT.secret),
    oidcName: 'Home',
    oidcScopes: SCOPES,
  };
}

/** The part of a browser that knows the provider's cookies; each visit begins without them. */
function visitor(issuer: string) {
  return async (url: string): Promise<string> => {
    const cookies = new Map<string, string>();
    for (let at = url; ; ) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const { headers, status } = await fetch(at, { redirect: 'manual', headers: { cookie } });
      for (const line of headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = headers.get('location');
      if (location === null) throw new Error(`the provider answered ${status} at ${at}`);
      at = new URL(location, at).href;
      if (!at.startsWith(issuer)) return at;
    }
  };
}

/** Signs in by the provider in a browser; returns the last answer of the server. */
export async function signInBy(
  provider: Pick<TestProvider, 'visit'>,
  browser: Browser,
  publicUrl: string,
  returnTo = '/',
): Promise<Met> {
  const start = `${publicUrl}/api/auth/oidc/start?return_to=${encodeURIComponent(returnTo)}`;
  return browser.open(await provider.visit((await browser.open(start)).url));
}
