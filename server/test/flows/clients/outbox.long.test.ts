import { seeds, testOutbox } from '../../kit/outbox-runs.ts';

testOutbox({ sqlite: seeds(300), postgres: seeds(20) });
testOutbox({ sqlite: seeds(300), postgres: seeds(20) }, true);
