import { connectBus, STREAMS, startConsumer } from '@supplier/lib/event-bus';
import { openPool } from '@supplier/lib/postgres';
import { startRpcServer } from '@supplier/lib/rpc-server';
import { runProcess } from '@supplier/lib/service-runtime';
import { systemClock } from '@supplier/lib/time';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { databaseAnswers, openDatabase } from './db/database.ts';
import { openObjectStore } from './object-store/index.ts';
import { clamdScanner } from './scanner/clamd/clamd-scanner.ts';
import { readScannerConfig } from './scanner/config.ts';
import { measureWaiting } from './scanner/measure-waiting.ts';
import { startScanWorker } from './scanner/scan-worker.ts';
import { signatureGate } from './scanner/signature-gate.ts';

/** The scanner: a process of its own, which alone moves bytes between quarantine and the clean store. */
runProcess('scanner', async (process) => {
  const config = readScannerConfig();
  const { log } = process;
  log.level = config.logLevel;
  if (config.signatures.anySignatures)
    log.warn(
      { reason: 'SSS_SCAN_WITH_ANY_SIGNATURES' },
      'documents of the sandbox are scanned with whatever signatures there are; those of production are not',
    );
  const pool = openPool(config, process);
  const db = openDatabase(pool);
  const bus = connectBus(process, config.natsUrl);
  const scanner = clamdScanner(config.clamd);
  const clock = systemClock;
  const gate = signatureGate({ scanner, policy: config.signatures, clock, log });
  const store = await openObjectStore(config.store, clock);
  const worker = startScanWorker(process, { db, store, scanner, clock, gate });

  measureWaiting(process.metrics, db, clock);
  startConsumer(process, {
    bus,
    stream: STREAMS.document,
    consumer: 'scanner',
    subject: 'supplier.document.DocumentFinalized',
    pool,
    events: [DocumentFinalizedSchema],
    // Only a wake-up: what is due is found in the database, with or without it, and as often as one likes.
    once: 'own-key',
    apply: async () => worker.wake,
  });
  await startRpcServer(process, {
    config,
    services: [],
    routes: () => {},
    async ready() {
      await databaseAnswers(db);
      if (!gate.answers()) throw new Error('the scanner does not answer');
    },
  });
});
