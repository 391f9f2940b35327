import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  retainSearchParams,
} from '@tanstack/react-router';
import { Suspense } from 'react';
import { loadTexts, type Part } from '../i18n/i18n.ts';
import { CrashBarrier, Crashed } from '../page/crash-barrier.tsx';
import { importOrReload } from '../page/import-or-reload.ts';
import { NotFound } from '../page/not-found.tsx';
import {
  activityParams,
  graphParams,
  noteParams,
  replaceParams,
  searchParams,
  tagParams,
  taskParams,
  welcomeParams,
} from '../page/search-params.ts';
import { BASE } from '../platform/base.ts';

/** A page that is loaded when it is first opened, together with its texts. */
function lazyPage<Module extends object, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
  ...parts: Part[]
) {
  return lazyRouteComponent(async () => {
    // Buttons, dialogs and errors of all pages use the texts of vaults.
    const [module] = await Promise.all([importOrReload(load), loadTexts('vault'), ...parts.map(loadTexts)]);
    return module;
  }, name);
}

const root = createRootRoute({ component: RootLayout, notFoundComponent: NotFound });
/** Opens a vault; an account without one begins with the first steps. */
const Home = lazyPage(() => import('./home.tsx'), 'Home');
const home = createRoute({ getParentRoute: () => root, path: '/', validateSearch: welcomeParams, component: Home });
const vaults = createRoute({
  getParentRoute: () => root,
  path: '/vaults',
  validateSearch: welcomeParams,
  component: Home,
});

const vault = createRoute({
  getParentRoute: () => root,
  path: '/vaults/$vaultId',
  component: lazyPage(() => import('../pages/vault/vault-page.tsx'), 'VaultPage'),
});
const overview = createRoute({
  getParentRoute: () => vault,
  path: '/',
  component: lazyPage(() => import('../pages/vault/overview.tsx'), 'Overview'),
});
const note = createRoute({
  getParentRoute: () => vault,
  path: '/notes/$noteId',
  validateSearch: noteParams,
  // The side panel stays open from note to note.
  search: { middlewares: [retainSearchParams(['panel'])] },
  // Read before the page is drawn: React shows a page that waits for its data not before 300 ms. What fails here is read
  // again by the page, which shows the error.
  loader: ({ params: { vaultId, noteId } }) =>
    // Imported when a note is opened, because the first page of the app needs none of it.
    import('../pages/note/find-note.ts').then(({ findNote }) => findNote(vaultId, noteId)).catch(() => undefined),
  component: lazyPage(() => import('../pages/note/note-page.tsx'), 'NotePage'),
});
const file = createRoute({
  getParentRoute: () => vault,
  path: '/files/$fileId',
  component: lazyPage(() => import('../pages/files/file-page.tsx'), 'FilePage'),
});
const search = createRoute({
  getParentRoute: () => vault,
  path: '/search',
  validateSearch: searchParams,
  component: lazyPage(() => import('../pages/search/search-page.tsx'), 'SearchPage'),
});
const tags = createRoute({
  getParentRoute: () => vault,
  path: '/tags',
  validateSearch: tagParams,
  component: lazyPage(() => import('../pages/lists/tags-page.tsx'), 'TagsPage'),
});
const tasks = createRoute({
  getParentRoute: () => vault,
  path: '/tasks',
  validateSearch: taskParams,
  component: lazyPage(() => import('../pages/tasks/tasks-page.tsx'), 'TasksPage', 'tasks'),
});
const replace = createRoute({
  getParentRoute: () => vault,
  path: '/replace',
  validateSearch: replaceParams,
  component: lazyPage(() => import('../pages/changes/replace-page.tsx'), 'ReplacePage', 'changes'),
});
const trash = createRoute({
  getParentRoute: () => vault,
  path: '/trash',
  component: lazyPage(() => import('../pages/lists/trash-page.tsx'), 'TrashPage'),
});
const activity = createRoute({
  getParentRoute: () => vault,
  path: '/activity',
  validateSearch: activityParams,
  component: lazyPage(() => import('../pages/activity/activity-page.tsx'), 'ActivityPage', 'activity'),
});
const dangling = createRoute({
  getParentRoute: () => vault,
  path: '/dangling',
  component: lazyPage(() => import('../pages/lists/dangling-page.tsx'), 'DanglingPage'),
});
const imports = createRoute({
  getParentRoute: () => vault,
  path: '/import',
  component: lazyPage(() => import('../pages/imports/import-page.tsx'), 'ImportPage', 'imports'),
});

const graph = createRoute({
  getParentRoute: () => vault,
  path: '/graph',
  validateSearch: graphParams,
  component: lazyPage(() => import('../pages/graph/graph-page.tsx'), 'GraphPage', 'graph'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyPage(() => import('../pages/sharing/invite-page.tsx'), 'InvitePage', 'sharing'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyPage(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage', 'settings'),
});
const profile = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyPage(() => import('../pages/settings/profile-page.tsx'), 'ProfilePage', 'settings'),
});
const vaultSettings = createRoute({
  getParentRoute: () => settings,
  path: '/vaults',
  component: lazyPage(() => import('../pages/settings/vaults-page.tsx'), 'VaultsPage', 'settings'),
});
const connections = createRoute({
  getParentRoute: () => settings,
  path: '/connections',
  component: lazyPage(() => import('../pages/settings/connections-page.tsx'), 'ConnectionsPage', 'settings'),
});
const sessions = createRoute({
  getParentRoute: () => settings,
  path: '/sessions',
  component: lazyPage(() => import('../pages/settings/sessions-page.tsx'), 'SessionsPage', 'settings'),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  component: lazyPage(() => import('../pages/admin/admin-page.tsx'), 'AdminPage', 'admin', 'settings'),
});
const users = createRoute({
  getParentRoute: () => admin,
  path: '/',
  component: lazyPage(() => import('../pages/admin/users-page.tsx'), 'UsersPage', 'admin', 'settings'),
});
const invites = createRoute({
  getParentRoute: () => admin,
  path: '/invites',
  component: lazyPage(() => import('../pages/admin/invites-page.tsx'), 'InvitesPage', 'admin'),
});
const health = createRoute({
  getParentRoute: () => admin,
  path: '/health',
  component: lazyPage(() => import('../pages/admin/health-page.tsx'), 'HealthPage', 'admin', 'welcome'),
});

const tree = root.addChildren([
  home,
  vaults,
  invitation,
  settings.addChildren([profile, vaultSettings, connections, sessions]),
  admin.addChildren([users, invites, health]),
  vault.addChildren([overview, note, file, search, replace, tasks, tags, graph, activity, dangling, trash, imports]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: BASE,
  defaultPreload: 'intent',
  // The query cache keeps what was read.
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: Crashed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/** Layout around every page of the app. */
function RootLayout() {
  return (
    <CrashBarrier>
      <Suspense>
        <Outlet />
      </Suspense>
    </CrashBarrier>
  );
}
