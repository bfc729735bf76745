export { countStatements } from './count-statements.ts';
export { eventually } from './eventually.ts';
export { inProcessClient, type TestActor } from './in-process-client.ts';
export { makeTestAuthority, type TestAuthority } from './test-authority.ts';
export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { createTestIssuer, type TestIssuer } from './test-issuer.ts';
export { testNats } from './test-nats.ts';
export { startTestProcess, type TestProcess } from './test-process.ts';
export { startTestRpcServer, type TestRpcServer } from './test-rpc-server.ts';
