import { lazy, Suspense } from 'react';
import { loadTexts } from '../../i18n/i18n.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import type { LinksDialogProps } from './links-dialog.tsx';

export type { LinkTarget } from './links-dialog.tsx';

const LinksDialog = lazy(async () => {
  const load = importOrReload(() => import('./links-dialog.tsx'));
  const [module] = await Promise.all([load, loadTexts('sharing')]);
  return { default: module.LinksDialog };
});

/** The dialog of public links, loaded when it is opened. */
export function PublicLinks(props: LinksDialogProps) {
  return (
    <Suspense>
      <LinksDialog {...props} />
    </Suspense>
  );
}
