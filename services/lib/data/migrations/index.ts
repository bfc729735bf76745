export { checkGrants } from './check-grants.ts';
export { type GrantState, type Grants, grantStates, readGrants } from './grants.ts';
export { type AppliedMigration, MigrationError, type MigrationState } from './history.ts';
export { migrateVariables, runMigrateCommand } from './migrate-command.ts';
export { migrationNames } from './migration-files.ts';
export {
  migrationStates,
  type RunOptions,
  revokeFromRuntime,
  runMigrations,
  runtimeGrants,
} from './run-migrations.ts';
