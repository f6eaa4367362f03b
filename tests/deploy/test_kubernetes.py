"""The example for Kubernetes, compared with the code and with the image."""

from __future__ import annotations

from typing import Any

import yaml
from django.core.management import get_commands, load_command_class

from tests.deploy.test_docker import image_environment, values
from tests.support.processes.deployment import DEPLOY, known_variables, max_request_bytes

OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes" / "memoryserver.yaml").read_text()))


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [found for found in OBJECTS if found["kind"] == kind]


PODS = [deployment["spec"]["template"] for deployment in of_kind("Deployment")]
CONTAINERS = [
    container for pod in PODS for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]
]


def test_every_object_has_a_kind_a_version_and_a_name_of_its_own() -> None:
    names = [(found["apiVersion"], found["kind"], found["metadata"]["name"]) for found in OBJECTS]

    assert len(set(names)) == len(names) == 8


def test_commands_and_variables_exist() -> None:
    variables = {
        name for kind, field in (("Secret", "stringData"), ("ConfigMap", "data")) for name in of_kind(kind)[0][field]
    }

    assert sorted(" ".join(container["args"]) for container in CONTAINERS) == [
        "gunicorn",
        "prepare --wait 120",
        "qcluster",
        "qcluster --queue embedding",
        "watch",
    ]
    for command, *options in (container["args"] for container in CONTAINERS):
        load_command_class(get_commands()[command], command).create_parser("manage.py", command).parse_args(options)
    assert variables <= known_variables()


def test_what_waits_to_be_embedded_is_worked_off_by_one_pod() -> None:
    (embeds,) = [found for found in of_kind("Deployment") if found["metadata"]["name"] == "memoryserver-embedding-jobs"]

    assert of_kind("ConfigMap")[0]["data"]["MEMORYSERVER_EMBEDDING_QUEUE"] == "1"
    assert embeds["spec"]["replicas"] == 1
    assert embeds["spec"]["template"]["spec"]["containers"][0]["args"] == ["qcluster", "--queue", "embedding"]


def test_containers_run_as_the_image_does_and_write_to_its_volume_alone() -> None:
    for pod in PODS:
        assert pod["spec"]["securityContext"]["runAsUser"] == int(values("USER")[0])
        named = {volume["name"] for volume in pod["spec"]["volumes"]}
        for container in [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]:
            mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
            assert set(mounts) == named
            assert mounts["data"] == image_environment()["MEMORYSERVER_DATA"]
            assert container["securityContext"]["readOnlyRootFilesystem"] is True


def test_selectors_find_their_pods() -> None:
    for deployment in of_kind("Deployment"):
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert deployment["spec"]["selector"]["matchLabels"] == labels
    (service,) = of_kind("Service")
    found = [pod for pod in PODS if service["spec"]["selector"].items() <= pod["metadata"]["labels"].items()]
    assert [pod["spec"]["containers"][0]["name"] for pod in found] == ["web"]


def test_ports_lead_from_the_ingress_to_the_server() -> None:
    (service,), (ingress,) = of_kind("Service"), of_kind("Ingress")
    (path,) = ingress["spec"]["rules"][0]["http"]["paths"]
    (port,) = service["spec"]["ports"]
    (web,) = [container for container in CONTAINERS if container["name"] == "web"]

    assert path["backend"]["service"] == {"name": service["metadata"]["name"], "port": {"name": port["name"]}}
    assert web["ports"] == [{"name": port["targetPort"], "containerPort": int(values("EXPOSE")[0])}]
    assert ingress["metadata"]["annotations"]["nginx.ingress.kubernetes.io/proxy-body-size"] == (
        f"{max_request_bytes() // 2**20}m"
    )


def test_probes_ask_for_a_host_that_the_server_takes() -> None:
    (web,) = [container for container in CONTAINERS if container["name"] == "web"]
    allowed = of_kind("ConfigMap")[0]["data"]["MEMORYSERVER_ALLOWED_HOSTS"].split(",")

    for probe in (web["readinessProbe"]["httpGet"], web["livenessProbe"]["httpGet"]):
        assert (probe["path"], probe["port"]) == ("/healthz", "http")
        assert {header["value"] for header in probe["httpHeaders"] if header["name"] == "Host"} < set(allowed)
