import { ConnectionError } from '@notevault/client/transport.ts';
import { useQueryClient } from '@tanstack/react-query';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Component, type ReactNode, useEffect } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { Button } from '../ui/controls/button.tsx';
import styles from './center.module.css';

interface CrashBarrierProps {
  readonly children: ReactNode;
  /** Renders the replacement of the children. */
  readonly crashed: (retry: () => void, error: unknown) => ReactNode;
}

/** Shows something with a way on when a part of the app throws. */
class Barrier extends Component<CrashBarrierProps, { readonly thrown: { readonly error: unknown } | null }> {
  override state = { thrown: null };

  static getDerivedStateFromError(error: unknown) {
    return { thrown: { error } };
  }

  override render(): ReactNode {
    const { children, crashed } = this.props;
    const { thrown } = this.state as { readonly thrown: { readonly error: unknown } | null };
    return thrown === null ? children : crashed(() => this.setState({ thrown: null }), thrown.error);
  }
}

/** Around the whole app: what throws here may be anything, so that only a new start helps. */
export function AppBarrier({ children }: { readonly children: ReactNode }) {
  return <Barrier crashed={() => <Broken />}>{children}</Barrier>;
}

/** Around a part of a page, which can be tried again by itself. */
export function CrashBarrier({ children }: { readonly children: ReactNode }) {
  return <Barrier crashed={(retry, error) => <Crashed reset={retry} error={error} />}>{children}</Barrier>;
}

/** Page that the router shows in place of one that threw. */
export function Crashed({ reset, error }: Pick<ErrorComponentProps, 'reset'> & { readonly error: unknown }) {
  const t = useTexts('start');
  const queries = useQueryClient();
  // A read that failed is remembered for minutes, and would be thrown again by whoever needs it next.
  useEffect(
    () => queries.removeQueries({ type: 'inactive', predicate: ({ state }) => state.status === 'error' }),
    [queries],
  );
  const again = (
    <Button look="primary" onClick={reset}>
      {t('tryAgain')}
    </Button>
  );
  if (!(error instanceof ConnectionError)) return <Broken>{again}</Broken>;
  return (
    <section className={styles.center} role="status">
      <h1>{t('unreachable')}</h1>
      <p>{t('unreachableText')}</p>
      {again}
    </section>
  );
}

function Broken({ children }: { readonly children?: ReactNode }) {
  const t = useTexts('start');
  return (
    <section className={styles.center} role="alert">
      <h1>{t('broken')}</h1>
      <p>{t('brokenText')}</p>
      {children}
      <Button look={children === undefined ? 'primary' : 'plain'} onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </section>
  );
}
