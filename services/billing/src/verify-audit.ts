/** Verifies the audit log of the billing service against its hash chain; see `--help`. */
import { runVerifyAuditCommand } from '@supplier/lib/governance/audit';

runVerifyAuditCommand('billing');
