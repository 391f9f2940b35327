import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { keys } from '../../data/keys.ts';
import type { QueryTable } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import styles from './base-view.module.css';
import { queryTables } from './query-tables.ts';

interface BaseViewProps {
  readonly vaultId: string;
  /** Location of the base's text. */
  readonly url: string;
}

/** The tables of a base, to be read. */
export function BaseView({ vaultId, url }: BaseViewProps) {
  const t = useTexts('editor');
  const tVault = useTexts('vault');
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: [...keys.lists(vaultId), 'base', url],
    queryFn: async ({ signal }) => {
      const answer = await fetch(url, { signal });
      if (!answer.ok) throw new Error(`refused with ${answer.status}`);
      return queryTables(vaultId, 'base', await answer.text());
    },
  });
  if (error !== null && data === undefined) {
    const reason = error.name.startsWith('YAML') ? error.message : errorText(tVault, error);
    return <Notice kind="danger">{`${t('strings.queryFailed')} ${reason}`}</Notice>;
  }
  return (
    <div className={styles.base}>
      {data?.tables.map((table, at) => (
        // Views of a base may have one name; they come in the order of the file.
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <BaseTable key={`${at} ${dataUpdatedAt}`} vaultId={vaultId} first={table} />
      ))}
      {data === undefined || data.unread.length === 0 ? null : (
        <Notice kind="plain">
          <p>
            {t('strings.queryUnread')}{' '}
            {data.unread.map((part) => (
              <code key={part}>{part} </code>
            ))}
          </p>
        </Notice>
      )}
    </div>
  );
}

/** One view of a base, a page of notes at a time. */
function BaseTable({ vaultId, first }: { readonly vaultId: string; readonly first: QueryTable }) {
  const t = useTexts('editor');
  const tVault = useTexts('vault');
  const [pages, setPages] = useState<readonly QueryTable[]>([first]);
  const next = pages.at(-1)?.more ?? null;
  const loading = useMutation({
    mutationFn: (ask: () => Promise<QueryTable>) => ask(),
    onSuccess: (table) => setPages([...pages, table]),
    onError: (error) => showToast({ kind: 'danger', text: errorText(tVault, error) }),
  });
  const { name, columns, total, isList } = first;
  const rows = pages.flatMap((page) => page.rows);
  const linkTo = (id: string, note: string) => (
    <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }}>
      {note}
    </Link>
  );
  return (
    <section aria-label={name}>
      {name === '' ? null : <h2 dir="auto">{name}</h2>}
      {rows.length === 0 ? <p>{t('strings.queryNone')}</p> : null}
      {isList ? (
        <ul>
          {rows.map(({ id, name: note, values }) => (
            <li key={id} dir="auto">
              {linkTo(id, note)} <small>{values.filter((value) => value !== '').join(' · ')}</small>
            </li>
          ))}
        </ul>
      ) : null}
      {isList || rows.length === 0 ? null : (
        <table>
          <thead>
            <tr>
              {[t('strings.queryNote'), ...columns].map((column) => (
                <th key={column} scope="col" dir="auto">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name: note, values }) => (
              <tr key={id}>
                <td dir="auto">{linkTo(id, note)}</td>
                {columns.map((column, at) => (
                  <td key={column} dir="auto">
                    {values[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {total > rows.length ? <p role="status">{t('strings.queryMore', { shown: rows.length, total })}</p> : null}
      {next === null ? null : (
        <Button
          aria-disabled={loading.isPending}
          onClick={() => {
            if (!loading.isPending) loading.mutate(next);
          }}
        >
          {t('strings.more')}
        </Button>
      )}
    </section>
  );
}
