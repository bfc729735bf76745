/** Command: checks the audit log of the webhook service against its chain; `--help` says how. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('webhook');
