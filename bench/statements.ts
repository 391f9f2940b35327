import { type OperationCost, operationCosts } from '../server/test/kit/database/operation-costs.ts';

// What does each operation ask of the database: statements (without BEGIN and COMMIT), calls that each take a connection
// (transactions that write, reads on one snapshot, single reads), and round trips to PostgreSQL?
const calls = ({ writes, snapshots, reads }: OperationCost) => `${writes} + ${snapshots} + ${reads}`;
const onSqlite = await operationCosts('sqlite');
const onPostgres = new Map((await operationCosts('postgres')).map((cost) => [cost.operation, cost]));
console.table(
  onSqlite.map((cost) => ({
    '': cost.operation,
    statements: cost.statements,
    'writes + snapshots + reads': calls(cost),
    'on PostgreSQL': onPostgres.get(cost.operation)?.statements,
    'round trips': onPostgres.get(cost.operation)?.roundTrips,
  })),
);
