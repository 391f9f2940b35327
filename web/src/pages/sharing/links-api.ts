import type {
  NewPublicLink,
  PublicLink,
  PublicLinkMade,
  PublicLinksResponse,
} from '@notevault/protocol/public-links.ts';
import { queryOptions } from '@tanstack/react-query';
import { keys } from '../../data/keys.ts';
import { transport } from '../../session/app-session.ts';

const PATH = '/vault/links';

/** Lists the public links of a vault. */
export function linksQuery(vault: string) {
  return queryOptions({
    queryKey: keys.publicLinks(vault),
    queryFn: async (): Promise<readonly PublicLink[]> =>
      (await transport.json<PublicLinksResponse>({ method: 'GET', path: PATH, vault })).links,
  });
}

export const publicLinks = {
  /** Makes a link. Only this answer contains its address, so a repetition must make another one. */
  make: (vault: string, json: NewPublicLink) =>
    transport.json<PublicLinkMade>({ method: 'POST', path: PATH, vault, json, repeatable: false }),
  end: (vault: string, id: string) => transport.send({ method: 'DELETE', path: `${PATH}/${id}`, vault }),
};
