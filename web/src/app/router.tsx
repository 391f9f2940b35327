import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts, type Part } from '../i18n/i18n.ts';
import { Crashed } from './crash-barrier.tsx';
import { importOrReload } from './import-or-reload.ts';
import { NotFound } from './not-found.tsx';
import { RootLayout } from './root-layout.tsx';

/** Loads a page when it is first opened, together with its texts. */
function withTexts<Module>(part: Part, load: () => Promise<Module>): () => Promise<Module> {
  return async () => {
    const [module] = await Promise.all([importOrReload(load), loadTexts(part)]);
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
  component: lazyRouteComponent(
    withTexts('vault', () => import('../note/note-page.tsx')),
    'NotePage',
  ),
});

const tree = root.addChildren([home, vaults, vault.addChildren([overview, note])]);

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
