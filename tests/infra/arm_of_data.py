"""Storage, vault, identity and roles of Terraform, in the words of ARM."""

from tests.infra.given import Given

type Body = dict[str, object]


def switch(value: bool) -> str:
    """ARM's word for it."""
    return "Enabled" if value else "Disabled"


def account(given: Given) -> dict[str, Body]:
    """An account, and its services, which it always has."""
    blobs, network = given.block("blob_properties"), given.block("network_rules")
    rules = [_cors(rule) for rule in blobs.blocks("cors_rule")]
    return {
        "": {
            "sku": {"name": f"{given.take('account_tier')}_{given.take('account_replication_type')}"},
            "kind": given.take("account_kind"),
            "properties": {
                "accessTier": given.take("access_tier"),
                "allowBlobPublicAccess": given.take("allow_nested_items_to_be_public"),
                "allowCrossTenantReplication": given.take("cross_tenant_replication_enabled"),
                "allowSharedKeyAccess": given.take("shared_access_key_enabled"),
                "defaultToOAuthAuthentication": given.take("default_to_oauth_authentication"),
                "isLocalUserEnabled": given.take("local_user_enabled"),
                "minimumTlsVersion": given.take("min_tls_version"),
                "supportsHttpsTrafficOnly": given.take("https_traffic_only_enabled"),
                "publicNetworkAccess": switch(given.take("public_network_access_enabled")),
                "networkAcls": {
                    "defaultAction": network.take("default_action"),
                    "bypass": ", ".join(network.take("bypass")),
                },
            },
        },
        "/blobServices/default": {"properties": {"cors": {"corsRules": rules}}},
        "/queueServices/default": {},
        "/tableServices/default": {},
    }


def _cors(rule: Given) -> Body:
    return {
        "allowedOrigins": rule.take("allowed_origins"),
        "allowedMethods": rule.take("allowed_methods"),
        "allowedHeaders": rule.take("allowed_headers"),
        "exposedHeaders": rule.take("exposed_headers"),
        "maxAgeInSeconds": rule.take("max_age_in_seconds"),
    }


def by_id(given: Given) -> dict[str, Body]:
    """What is nothing but its id and its place: a queue, an identity, a group."""
    return {"": {}}


def container(given: Given) -> dict[str, Body]:
    """A container."""
    public = {"private": "None"}[given.take("container_access_type")]
    return {"": {"properties": {"publicAccess": public}}}


def lifecycle(given: Given) -> dict[str, Body]:
    """What is deleted by itself."""
    rules = []
    for rule in given.blocks("rule"):
        filters, blobs = rule.block("filters"), rule.block("actions").block("base_blob")
        days = blobs.take("delete_after_days_since_creation_greater_than")
        rules.append(
            {
                "name": rule.take("name"),
                "type": "Lifecycle",
                "enabled": rule.take("enabled"),
                "definition": {
                    "filters": {
                        "blobTypes": filters.take("blob_types"),
                        "prefixMatch": filters.take("prefix_match"),
                    },
                    "actions": {"baseBlob": {"delete": {"daysAfterCreationGreaterThan": days}}},
                },
            }
        )
    return {"": {"properties": {"policy": {"rules": rules}}}}


def vault(given: Given) -> dict[str, Body]:
    """The vault. azurerm makes none without soft delete."""
    network = given.block("network_acls")
    properties = {
        "tenantId": given.take("tenant_id"),
        "sku": {"family": "A", "name": given.take("sku_name")},
        "enableRbacAuthorization": given.take("rbac_authorization_enabled"),
        "enableSoftDelete": True,
        "softDeleteRetentionInDays": given.take("soft_delete_retention_days"),
        "enablePurgeProtection": given.take("purge_protection_enabled"),
        "publicNetworkAccess": switch(given.take("public_network_access_enabled")),
        "networkAcls": {"defaultAction": network.take("default_action"), "bypass": network.take("bypass")},
    }
    return {"": {"properties": properties}}


def role(given: Given) -> dict[str, Body]:
    """A role of somebody on something."""
    properties = {
        "principalId": given.take("principal_id"),
        "principalType": given.take("principal_type"),
        "roleDefinitionId": given.take("role_definition_id"),
        "description": given.take("description"),
    }
    return {"": {"properties": properties}}
