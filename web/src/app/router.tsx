import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts, type Part } from '../i18n/i18n.ts';
import { Crashed } from './crash-barrier.tsx';
import { importOrReload } from './import-or-reload.ts';
import { NotFound } from './not-found.tsx';
import { RootLayout } from './root-layout.tsx';
import { noteParams, searchParams, tagParams } from './search-params.ts';

/** Loads a page when it is first opened, together with its texts. */
function withTexts<Module>(part: Part, load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    // Buttons, dialogs and errors of all pages use the texts of vaults.
    const [module] = await Promise.all([importOrReload(load), loadTexts('vault'), loadTexts(part)]);
    return module;
  };
}

/** Which vault to open; without any, making one. */
const Home = lazyRouteComponent(
  withTexts('vault', () => import('./home.tsx')),
  'Home',
);

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFound });
const home = createRoute({ getParentRoute: () => root, path: '/', component: Home });
const vaults = createRoute({ getParentRoute: () => root, path: '/vaults', component: Home });

const vault = createRoute({
  getParentRoute: () => root,
  path: '/vaults/$vaultId',
  component: lazyRouteComponent(
    withTexts('vault', () => import('../vault/vault-page.tsx')),
    'VaultPage',
  ),
});
const overview = createRoute({
  getParentRoute: () => vault,
  path: '/',
  component: lazyRouteComponent(
    withTexts('vault', () => import('../vault/overview.tsx')),
    'Overview',
  ),
});
const note = createRoute({
  getParentRoute: () => vault,
  path: '/notes/$noteId',
  validateSearch: noteParams,
  component: lazyRouteComponent(
    withTexts('vault', () => import('../note/note-page.tsx')),
    'NotePage',
  ),
});
const search = createRoute({
  getParentRoute: () => vault,
  path: '/search',
  validateSearch: searchParams,
  component: lazyRouteComponent(
    withTexts('vault', () => import('../search/search-page.tsx')),
    'SearchPage',
  ),
});
const tags = createRoute({
  getParentRoute: () => vault,
  path: '/tags',
  validateSearch: tagParams,
  component: lazyRouteComponent(
    withTexts('vault', () => import('../lists/tags-page.tsx')),
    'TagsPage',
  ),
});
const trash = createRoute({
  getParentRoute: () => vault,
  path: '/trash',
  component: lazyRouteComponent(
    withTexts('vault', () => import('../lists/trash-page.tsx')),
    'TrashPage',
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    withTexts('settings', () => import('../settings/settings-page.tsx')),
    'SettingsPage',
  ),
});
const profile = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyRouteComponent(
    withTexts('settings', () => import('../settings/profile-page.tsx')),
    'ProfilePage',
  ),
});
const vaultSettings = createRoute({
  getParentRoute: () => settings,
  path: '/vaults',
  component: lazyRouteComponent(
    withTexts('settings', () => import('../settings/vaults-page.tsx')),
    'VaultsPage',
  ),
});
const connections = createRoute({
  getParentRoute: () => settings,
  path: '/connections',
  component: lazyRouteComponent(
    withTexts('settings', () => import('../settings/connections-page.tsx')),
    'ConnectionsPage',
  ),
});
const sessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: lazyRouteComponent(
    withTexts('settings', () => import('../settings/sessions-page.tsx')),
    'SessionsPage',
  ),
});

const tree = root.addChildren([
  home,
  vaults,
  settings.addChildren([profile, vaultSettings, connections, sessions]),
  vault.addChildren([overview, note, search, tags, trash]),
]);

export const router = createRouter({
  routeTree: tree,
  defaultPreload: 'intent',
  defaultErrorComponent: Crashed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
