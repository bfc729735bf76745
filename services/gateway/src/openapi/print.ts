import { buildOpenApi } from './document.ts';

/** The provider that a gateway accepts unless it is configured otherwise. */
const USUAL_PROVIDER = 'screening_provider';

// Run as a program: prints the document as it is committed.
process.stdout.write(`${JSON.stringify(buildOpenApi(USUAL_PROVIDER), null, 2)}\n`);
