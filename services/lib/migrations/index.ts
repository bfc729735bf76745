export { type AppliedMigration, MigrationError, type MigrationState } from './history.ts';
export { runMigrateCommand } from './migrate-command.ts';
export { migrationStates, type RunOptions, runMigrations } from './run-migrations.ts';
