import { connectBus, eventSigner, STREAMS } from '@supplier/lib/events/event-bus';
import { runProcess } from '@supplier/lib/runtime/service-runtime';
import { serve } from '@supplier/lib/service';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';
import { openPolicyChecks } from './policies/policy-checks.ts';
import { startPolicies } from './policies/start-policies.ts';
import { routes } from './routes.ts';
import { startWorkers } from './workers.ts';

runProcess('submission', async (process) => {
  const config = readConfig();
  const context = createContext(config, process);
  const folder = new URL('../', import.meta.url);
  await serve(process, {
    config,
    folder,
    bus: connectBus(process, config.nats),
    pool: context.workPool,
    clock: context.clock,
    clockIsKnown: context.clockIsKnown,
    table: 'submission',
    keyRing: context.keyRing,
    stream: STREAMS.submission,
    sign: eventSigner(config.eventKeysDir),
    async start(relay) {
      await startPolicies(process, context, folder);
      context.wakes.connect({ relay: relay.wake, ...startWorkers(process, context) });
    },
    services: [SubmissionService, PrivacyService, PolicyService, ApprovalService],
    routes: routes(context, openPolicyChecks(process)),
  });
});
