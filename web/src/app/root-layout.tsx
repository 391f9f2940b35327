import { Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { CrashBarrier } from '../page/crash-barrier.tsx';

/** What is around every page of the app. */
export function RootLayout() {
  return (
    <CrashBarrier>
      <Suspense>
        <Outlet />
      </Suspense>
    </CrashBarrier>
  );
}
