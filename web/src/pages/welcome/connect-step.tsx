import { useSuspenseQuery } from '@tanstack/react-query';
import { connectionsQuery } from '../../data/queries.ts';
import { ConnectCards } from '../settings/connect-cards.tsx';

/** How to connect Obsidian, a folder and an assistant, which the cards notice. */
export function ConnectStep() {
  const { data: connections } = useSuspenseQuery(connectionsQuery);
  return <ConnectCards connections={connections} />;
}
