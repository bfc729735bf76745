export { eventually } from './eventually.ts';
export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { startTestProcess, type TestProcess } from './test-process.ts';
