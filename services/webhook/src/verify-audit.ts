/** Command: verifies the audit log of the webhook service against its hash chain; see `--help`. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('webhook');
