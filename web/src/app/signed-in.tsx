import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect } from 'react';
import { queryClient } from '../data/query-client.ts';
import { useSendUnsent } from '../device/use-send-unsent.ts';
import { forgetTabs } from '../workspace/kept-tabs.ts';
import { router } from './router.tsx';

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
    </QueryClientProvider>
  );
}
