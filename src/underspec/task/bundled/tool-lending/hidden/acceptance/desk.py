# canary underspec-canary-877d2336-ed62-5ec9-95a3-fddeedc9aa28
"""How these tests talk to the service."""


def started(delivery, **more):
    return delivery.start("python3", "-m", "lending", "--db", "records.db", "--port", "8000", port=8000, **more)


class Desk:
    def __init__(self, delivery):
        self.service = started(delivery)

    def get(self, path):
        return self.service.request("GET", path)

    def post(self, path, body):
        return self.service.request("POST", path, body)

    def item(self, name="Drill", kind="power"):
        answer = self.post("/items", {"name": name, "kind": kind})
        assert answer.status == 201, answer
        return answer.json()["id"]

    def lend(self, item, member="Anna", on="2024-03-04"):
        answer = self.post("/loans", {"item_id": item, "member": member, "on": on})
        assert answer.status == 201, answer
        return answer.json()

    def refused(self, item, member="Anna", on="2024-03-04"):
        answer = self.post("/loans", {"item_id": item, "member": member, "on": on})
        return answer.status, answer.json()

    def back(self, loan, on):
        answer = self.post(f"/loans/{loan['id']}/return", {"on": on})
        assert answer.status == 200, answer
        return answer.json()

    def names(self, query=""):
        answer = self.get("/items" + query)
        assert answer.status == 200, answer
        return [item["name"] for item in answer.json()["items"]]
