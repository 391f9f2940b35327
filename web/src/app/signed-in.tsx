import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { queryClient } from '../data/query-client.ts';
import { useSendUnsent } from '../device/use-send-unsent.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { useObservable } from '../platform/use-observable.ts';
import { stepUp } from '../session/app-session.ts';
import { forgetTabs } from '../workspace/kept-tabs.ts';
import { router } from './router.tsx';

const StepUpDialog = lazy(async () => {
  const [module] = await Promise.all([
    importOrReload(() => import('../pages/settings/step-up-dialog.tsx')),
    loadTexts('settings'),
  ]);
  return { default: module.StepUpDialog };
});

/** Asks for the proof of identity for which a request waits. */
function Proof() {
  const isAsked = useObservable(stepUp.question) !== null;
  return isAsked ? (
    <Suspense>
      <StepUpDialog />
    </Suspense>
  ) : null;
}

/** The app with a session. */
export function SignedIn() {
  useSendUnsent();
  // Nothing of one account may be shown to the next.
  useEffect(
    () => () => {
      queryClient.clear();
      forgetTabs();
    },
    [],
  );
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <Proof />
    </QueryClientProvider>
  );
}
